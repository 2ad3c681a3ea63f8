"""Baselines: what one would use instead, over the same files, in the same run.

Each takes a query and returns a ranked list. One whose package or program is
missing is a sentence that says so, and stands in the table.
"""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.metrics import LAST, Found
from indexer.pipeline.terms import tokenize, words

Scores = npt.NDArray[np.float64]
Ask = Callable[[str], list[Found]]
KEPT = 50  # Files of a list; ten are looked at.
SEMBLE_SCRIPT = Path(__file__).parent / "semble_lists.py"


def file_baselines(folder: Path, texts: Mapping[str, str]) -> dict[str, Ask | str]:
    """Return the baselines that rank whole files, by name.

    The two BM25s read the product's terms of the whole text, without the path.
    """
    terms = {path: tokenize(text) for path, text in texts.items()}
    return {
        "rank_bm25, whole files": rank_bm25(terms),
        "bm25s, whole files": bm25s(terms),
        "ripgrep, distinct words": ripgrep(folder, texts),
    }


def rank_bm25(terms: Mapping[str, Sequence[str]]) -> Ask:
    """Return BM25Okapi as the package has it."""
    scores = rank_bm25_scores([*terms.values()])
    return lambda query: _best([*terms], scores(tokenize(query)))


def rank_bm25_scores(corpus: Sequence[Sequence[str]]) -> Callable[[list[str]], Scores]:
    """Return the package's own scoring of terms over `corpus`."""
    from rank_bm25 import BM25Okapi

    scores: Callable[[list[str]], Scores] = BM25Okapi(corpus).get_scores
    return scores


def bm25s(terms: Mapping[str, Sequence[str]]) -> Ask | str:
    """Return bm25s with its own settings (Lucene's idf)."""
    try:
        import bm25s as package
    except ImportError:
        return "not run: bm25s is not installed"
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # It tells every step.
    index = package.BM25()
    index.index([list(t) for t in terms.values()], show_progress=False)
    known = index.vocab_dict

    def ask(query: str) -> list[Found]:
        asked = [term for term in tokenize(query) if term in known]
        return _best(list(terms), index.get_scores(asked)) if asked else []

    return ask


def ripgrep(folder: Path, texts: Mapping[str, str]) -> Ask | str:
    """Return the files by how many distinct words of the query they hold, then path."""
    program = shutil.which("rg")
    if program is None:
        return "not run: there is no rg on the path"

    @cache
    def holders(word: str) -> frozenset[str]:
        command = [program, "-l", "-i", "-w", "-F", "--hidden", "--no-ignore"]
        run = subprocess.run(  # noqa: S603 - a list, no shell
            [*command, "-e", word, "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return frozenset(line.removeprefix("./") for line in run.stdout.splitlines())

    def ask(query: str) -> list[Found]:
        asked = {word.lower() for word in words(query)}
        counts = [sum(path in holders(word) for word in asked) for path in texts]
        return _best(list(texts), np.array(counts, dtype=np.float64))

    return ask


def _best(paths: Sequence[str], scores: Scores) -> list[Found]:
    """Return the files of the highest scores; none that scores 0, ties by order."""
    order = np.argsort(-scores, kind="stable")[:KEPT]
    return [Found(paths[i], 1, LAST) for i in order if scores[i] != 0]


@dataclass(frozen=True, slots=True)
class Semble:
    """What semble answered: its own list and its files, by query, or why it did not."""

    note: str
    chunks: Mapping[str, list[Found]]
    files: Mapping[str, list[Found]]
    seconds: Sequence[float] = ()


def run_semble(python: str | None, folder: Path, queries: Sequence[str]) -> Semble:
    """Ask semble in its own environment: BM25 and its rules, without a model."""
    if python is None:
        return Semble("not run: no --semble was given", {}, {})
    done = subprocess.run(  # noqa: S603 - a list, no shell
        [python, str(SEMBLE_SCRIPT)],
        input=json.dumps({"folder": str(folder), "queries": list(queries)}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        return Semble(f"not run: {last[0]}", {}, {})
    answer = json.loads(done.stdout)
    rows = answer["rows"]
    chunks, files = (
        {row["query"]: [Found(*hit) for hit in row[key]] for row in rows}
        for key in ("chunks", "files")
    )
    return Semble(answer["note"], chunks, files, [row["seconds"] for row in rows])
