"""Absent concepts: whether the answer says when nothing here is close.

`python -m benchmarks.absent --concepts FILE [--source DIR] [--json OUT]`; DIR is a
copy of the installed Django if it is not given. FILE is
`{"present": [...], "absent_near": [...], "absent_far": [...]}`: concepts that the
code in DIR has, and some that it has not. Each signal alone is measured by its AUC;
the bands are those of the answer, as shipped. Nothing is calibrated on these lists.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.indexed import data_folder, django_source, index_folder
from benchmarks.metrics import auc_interval, mean
from benchmarks.records import Figures, Value, publish

GROUPS = ("present", "absent_near", "absent_far")
ABSENT = {"absent": GROUPS[1:], "absent_near": GROUPS[1:2], "absent_far": GROUPS[2:]}
BANDS = ("close", "weak", "nothing", "uncalibrated")

Row = Mapping[str, object]  # The concept, its group, its band and its signals.


def main() -> None:
    """Measure, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--concepts", type=Path, required=True)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    concepts = json.loads(options.concepts.read_text())
    with data_folder():
        source = options.source or django_source()
        name = index_folder(source, name=f"absent-{options.concepts.stem}")
        rows = [
            {"concept": concept, "group": group, **look_up(concept, name)}
            for group in GROUPS
            for concept in concepts[group]
        ]
    publish(options, summarise(rows), rows=rows)


def look_up(concept: str, name: str) -> dict[str, object]:
    """Return the band of the answer and each signal, 0 where there is none."""
    from benchmarks.stages import run_funnel
    from codesearch.services import search
    from indexer.access import COMMAND_LINE
    from indexer.pipeline.postings import K1

    payload = search(viewer=COMMAND_LINE, query=concept, repositories=[name])
    funnel = run_funnel(concept, name)
    corpus, terms = funnel.searched.corpus, funnel.outcome.query.terms
    legs = {leg.name: leg.run.hits for leg in funnel.outcome.legs}
    top = {name: hits[0].score if hits else 0.0 for name, hits in legs.items()}
    idf = corpus.idf(terms)
    attainable = (K1 + 1) * sum(idf[term] for term in terms)
    covered = np.zeros(corpus.chunk_count)
    for term, weight in idf.items():
        covered += weight * ~np.isnan(corpus.bm25([term]))
    return {
        "band": payload["closeness"]["band"],
        "top purpose cosine": top["purpose"],
        "top body cosine": top["body"],
        "top bm25 / attainable": top["bm25"] / attainable if attainable else 0.0,
        "idf coverage": float(covered.max() / sum(idf.values())) if idf else 0.0,
    }


def summarise(rows: Sequence[Row]) -> Figures:
    """Return the AUC of each signal, and what the bands keep and flag."""
    signals = [key for key in rows[0] if key not in ("concept", "group", "band")]
    return {
        "AUC": {
            signal: {
                f"present against {column}": auc_interval(
                    _values(rows, GROUPS[:1], signal), _values(rows, groups, signal)
                )
                for column, groups in ABSENT.items()
            }
            for signal in signals
        },
        "bands": _bands(rows),
    }


def _values(rows: Sequence[Row], groups: Sequence[str], key: str) -> list[float]:
    return [float(str(row[key])) for row in rows if row["group"] in groups]


def _bands(rows: Sequence[Row]) -> dict[str, dict[str, Value]]:
    """Return how many of each group have each band; kept: not `nothing`."""
    table: dict[str, dict[str, Value]] = {}
    for group, groups in {"present": GROUPS[:1], **ABSENT}.items():
        bands = [row["band"] for row in rows if row["group"] in groups]
        line: dict[str, Value] = {band: bands.count(band) for band in BANDS}
        wanted = "kept" if group == "present" else "flagged"
        hits = [float((band == "nothing") == (wanted == "flagged")) for band in bands]
        calibrated = "uncalibrated" not in bands
        line["share"] = mean(hits) if calibrated else "not calibrated"
        line["of"] = wanted
        table[group] = line
    return table


if __name__ == "__main__":
    main()
