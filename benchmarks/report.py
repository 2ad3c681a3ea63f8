"""Report: the tables of `benchmarks/README.md`, written from records.

`python -m benchmarks.report --json DIR` replaces, for each `NAME.json` in DIR, what
stands between `<!-- NAME -->` and `<!-- /NAME -->`. A record without a place in the
file, and a place without a record, are named.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.records import tables

README = Path(__file__).parent / "README.md"

Record = Mapping[str, Any]  # Any: JSON


def main() -> None:
    """Write the tables into the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, metavar="DIR")
    parser.add_argument("--readme", type=Path, default=README)
    options = parser.parse_args()
    records = {
        path.stem: json.loads(path.read_text())
        for path in sorted(options.json.glob("*.json"))
    }
    text = options.readme.read_text(encoding="utf-8")
    options.readme.write_text(fill(text, records), encoding="utf-8")
    places = set(re.findall(r"<!-- /(\S+) -->", text))
    for name in sorted(places ^ set(records)):
        missing = "no record" if name in places else "no place in the file"
        sys.stderr.write(f"{name}: {missing}\n")


def fill(text: str, records: Mapping[str, Record]) -> str:
    """Return `text` with the section of each record made anew."""
    for name, record in records.items():
        start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, opened, rest = text.partition(start)
        _, closed, after = rest.partition(end)
        if opened and closed:
            text = f"{before}{start}\n{section_of(record)}{end}{after}"
    return text


def section_of(record: Record) -> str:
    """Return what one record says: when and where it ran, and its tables."""
    machine = record["machine"]
    ran = (
        f"{record['date']}, revision {record['revision']}, "
        f"{machine['cores']} cores of {machine['cpu']}."
    )
    return f"{ran}\n\n{tables(record['figures'])}"


if __name__ == "__main__":
    main()
