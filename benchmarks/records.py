"""Records: one run of a benchmark as JSON, and its figures as tables.

A record is `{name, date, revision, machine, options, figures, ...}`; `figures` is
`{title: {row: {column: value}}}`, and a value is a number, a word, or a mean with
its interval. Whatever is in a table of `benchmarks/README.md` was written from one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.metrics import Mean

ROOT = Path(__file__).resolve().parent.parent

Value = Mean | float | int | str
Table = Mapping[str, Mapping[str, Value]]
Figures = Mapping[str, Table]


def publish(options: argparse.Namespace, figures: Figures, **more: object) -> None:
    """Print the tables; write the record to `--json`, named after that file."""
    sys.stdout.write(tables(figures))
    if options.json:
        shown = {key: str(value) for key, value in vars(options).items() if value}
        record = {
            "name": options.json.stem,
            "date": datetime.now(UTC).date().isoformat(),
            "revision": revision(),
            "machine": machine(),
            "options": {key: Path(value).name for key, value in shown.items()},
            "figures": figures,
            **more,
        }
        options.json.write_text(json.dumps(record, indent=1) + "\n")


def revision() -> str:
    """Return the commit that ran, marked if files were changed; empty without git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    found = subprocess.run(  # noqa: S603 - a list, no shell
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout.strip()


def machine() -> dict[str, object]:
    """Return what the seconds of a record depend on."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [li for li in cpuinfo.read_text().splitlines() if "model name" in li]
        model = lines[0].partition(":")[2].strip() if lines else model
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version()}


def tables(figures: Figures) -> str:
    """Return figures as Markdown, a table for each title."""
    return "\n".join(_table(title, table) for title, table in figures.items())


def _table(title: str, table: Table) -> str:
    columns: list[str] = list(dict.fromkeys(c for row in table.values() for c in row))
    lines = [f"| {title} | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for row, values in table.items():
        cells = [show(values[c]) if c in values else "" for c in columns]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def show(value: Any) -> str:  # Any: a value of JSON
    """Return a value for people; a mean with the ends of its interval."""
    if isinstance(value, Mapping):
        low, high = _short(value["low"]), _short(value["high"])
        return f"{_short(value['mean'])} [{low}, {high}]"
    if isinstance(value, float):
        return _short(value)
    return str(value)


def _short(number: float) -> str:
    """Return three places, without the zero before the point; fewer from 10 on."""
    if abs(number) >= 10:
        return f"{number:.1f}"
    return f"{number:.3f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.3f}"


def read_lines(path: Path) -> list[dict[str, Any]]:  # Any: JSON
    """Return the objects of a file with one on a line."""
    lines: Sequence[str] = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]
