"""A small retrieval pipeline over a help centre: the example of another system.

Two legs of bm25s, one over titles and one over texts, their reciprocal ranks fused, a
pool, a reranker that counts words, and a page. `python -m benchmarks.example_pipeline`
writes its runs, judgements and queries to docs/examples.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bm25s

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "examples"
STAGES = (
    ("titles", "leg", 10),
    ("texts", "leg", 10),
    ("rrf", "fusion", None),
    ("pool", "pool", 4),
    ("words", "rerank", 4),
    ("prompt", "page", 3),
)
RRF_K = 60  # Cormack, Clarke and Buettcher 2009.

Run = list[tuple[str, float]]  # Documents with their scores, best first.

_TOLD = json.loads((Path(__file__).parent / "data" / "help_centre.json").read_text())
CORPUS: dict[str, tuple[str, str]] = {
    name: (told["title"], told["text"]) for name, told in _TOLD["corpus"].items()
}
# Key, topic, query, grades.
QUESTIONS: list[tuple[str, str, str, dict[str, int]]] = [
    (told["id"], told["topic"], told["text"], told["judgments"])
    for told in _TOLD["questions"]
]


def words_of(text: str) -> list[str]:
    """Return the words of a text, small and without marks."""
    return "".join(c if c.isalnum() else " " for c in text.lower()).split()


def run_pipeline() -> dict[str, dict[str, Run]]:
    """Return the list of every stage for every query."""
    names = list(CORPUS)
    titles = _index([title for title, _ in CORPUS.values()])
    texts = _index([text for _, text in CORPUS.values()])
    runs: dict[str, dict[str, Run]] = {name: {} for name, _, _ in STAGES}
    for key, _, query, _ in QUESTIONS:
        legs = [_leg(titles, names, query), _leg(texts, names, query)]
        fused = _fuse(legs)
        pool = fused[: _depth("pool")]
        reranked = _rerank(query, pool)
        page = reranked[: _depth("prompt")]
        for name, found in zip(runs, (*legs, fused, pool, reranked, page), strict=True):
            runs[name][key] = found
    return runs


def write_examples(folder: Path) -> None:
    """Write runs, qrels and topics, and the same as one JSON document."""
    runs = run_pipeline()
    folder.mkdir(parents=True, exist_ok=True)
    for name, lists in runs.items():
        lines = [
            f"{key} Q0 {document} {rank} {score!r} help-centre\n"
            for key, found in lists.items()
            for rank, (document, score) in enumerate(found, start=1)
        ]
        (folder / f"{name}.run").write_text("".join(lines))
    qrels = [
        f"{key} 0 {document} {grade}\n"
        for key, _, _, judged in QUESTIONS
        for document, grade in judged.items()
    ]
    topics = [f"{key}\t{query}\n" for key, _, query, _ in QUESTIONS]
    (folder / "help-centre.qrels").write_text("".join(qrels))
    (folder / "help-centre.topics").write_text("".join(topics))
    written = json.dumps(as_document(runs), indent=1, ensure_ascii=False)
    (folder / "help-centre.json").write_text(f"{written}\n")


def as_document(
    runs: Mapping[str, Mapping[str, Run]],
) -> dict[str, Any]:  # Any: JSON
    """Return everything as one document."""
    return {
        "system": "help centre 1",
        "stages": [
            {"name": name, "kind": kind, "depth": depth} for name, kind, depth in STAGES
        ],
        "queries": [
            {
                "id": key,
                "text": query,
                "topic": topic,
                "judgments": judged,
                "lists": {
                    name: [
                        {"document": document, "score": score}
                        for document, score in lists[key]
                    ]
                    for name, lists in runs.items()
                },
            }
            for key, topic, query, judged in QUESTIONS
        ],
    }


def _index(texts: Sequence[str]) -> Any:  # Any: bm25s has no types
    index = bm25s.BM25()
    index.index([words_of(text) for text in texts], show_progress=False)
    return index


def _leg(index: Any, names: Sequence[str], query: str) -> Run:  # Any: see above
    scores = index.get_scores(words_of(query))
    found = [(n, float(s)) for n, s in zip(names, scores, strict=True) if s > 0]
    return _sorted(found)[: _depth("titles")]


def _fuse(legs: Sequence[Run]) -> Run:
    votes: dict[str, float] = {}
    for found in legs:
        for rank, (document, _) in enumerate(found, start=1):
            votes[document] = votes.get(document, 0.0) + 1 / (RRF_K + rank)
    return _sorted(list(votes.items()))


def _rerank(query: str, pool: Run) -> Run:
    """Order a pool by how many words of the query a document holds; fusion at ties."""
    asked = set(words_of(query))
    return _sorted(
        [
            (document, len(asked & set(words_of(" ".join(CORPUS[document])))) + score)
            for document, score in pool
        ]
    )


def _sorted(found: Run) -> Run:
    return sorted(found, key=lambda one: (-one[1], one[0]))


def _depth(name: str) -> int:
    return next(depth for stage, _, depth in STAGES if stage == name and depth)


if __name__ == "__main__":
    write_examples(FOLDER)
