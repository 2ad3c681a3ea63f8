"""Texts a second of each runtime of the packaged model, beside plain encoding.

`python -m benchmarks.runtimes [--source DIR] [--texts N] [--json OUT]`. N purposes and
N bodies, evenly spread over a folder (the installed Django), split where they are
longer than the model reads. The baseline of the same run is sentence-transformers as
it comes, in fp32 with a thread a core; the runtimes have as many. Each is timed in
turn, several times over, and the best time counts; that of a core says the same on a
machine that has other work.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks.indexed import data_folder, django_source, index_folder, lexical_profile
from benchmarks.records import Value, publish
from indexer.pipeline.encoder import STATIC, Embedder, Floats

ROUNDS = 3
# Of a process that is new: seconds to its first vector, and its memory then, in kB.
CHILD = """
import time
begun = time.perf_counter()
import django
django.setup()
from indexer.encoders import encoder_of
from indexer.pipeline.encoder import Embedder
encoder_of(Embedder())[0].encode_query("read a file")
seconds = time.perf_counter() - begun
lines = open("/proc/self/smaps_rollup").read().splitlines()
print(seconds, next(line.split()[1] for line in lines if line.startswith("Pss:")))
"""
BASELINE = "sentence-transformers"
Surface = Literal["purpose", "body"]
Encode = Callable[[Sequence[str]], Floats]


def main() -> None:
    """Measure, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder():
        name = index_folder(
            options.source or django_source(),
            name="runtimes",
            profile=lexical_profile(),
        )
        runtimes = open_runtimes()
        figures: dict[str, dict[str, dict[str, Value]]] = {}
        for surface in ("purpose", "body"):
            texts = load(name, surface, options.texts)
            figures[f"{len(texts)} texts of surface {surface}"] = compare(
                texts, runtimes
            )
        figures["start of a process"] = start_up()
    publish(options, figures)


def open_runtimes() -> dict[str, Encode]:
    """Return what encodes texts, the baseline first."""
    import torch
    from django.conf import settings

    from indexer.encoders import encoder_of
    from indexer.pipeline.loading import open_sentence_model, packaged_folder

    plain = open_sentence_model(str(packaged_folder()))

    def encode_plainly(texts: Sequence[str]) -> Floats:
        torch.set_num_threads(settings.ENCODER_THREADS)
        rows: Floats = plain.encode(list(texts), normalize_embeddings=True)
        torch.set_num_threads(1)
        return rows

    found: dict[str, Encode] = {BASELINE: encode_plainly}
    for runtime in ("fp32", "bf16", "int8"):
        settings.RUNTIME = runtime
        encoder, missing = encoder_of(Embedder())
        if encoder is None:
            sys.stderr.write(f"{missing}\n")
        else:
            found[runtime] = encoder.encode
    settings.RUNTIME = "auto"
    table, missing = encoder_of(Embedder(STATIC))
    if table is None:
        raise SystemExit(missing)
    return {**found, STATIC: table.encode}


def load(name: str, surface: Surface, wanted: int) -> list[str]:
    """Return the parts of texts of an index, evenly spread over all."""
    from codesearch.corpora import current_builds
    from indexer.access import COMMAND_LINE
    from indexer.encoders import encoder_of
    from indexer.models import Layer
    from indexer.pipeline.embedding import split_texts
    from indexer.pipeline.surfaces import load_surface, texts_of
    from indexer.places import layer_folder

    encoder, missing = encoder_of(Embedder())
    if encoder is None:
        raise SystemExit(missing)
    (build,) = current_builds(COMMAND_LINE, [name], lexical_profile())
    lexical = layer_folder(build, Layer.Kind.LEXICAL, 0)
    ordinals = list(texts_of(lexical, surface))
    picked = sorted({ordinals[i * len(ordinals) // wanted] for i in range(wanted)})
    parts = split_texts(load_surface(lexical, surface, picked), encoder)
    return [part.text for part in parts]


def compare(
    texts: Sequence[str], runtimes: dict[str, Encode]
) -> dict[str, dict[str, Value]]:
    """Return texts a second of each runtime, and how near it is to the baseline."""
    best = dict.fromkeys(runtimes, float("inf"))
    cores = dict(best)
    rows: dict[str, Floats] = {}
    for _ in range(ROUNDS):
        for name, encode in runtimes.items():
            begun, used = time.perf_counter(), time.process_time()
            rows[name] = encode(texts)
            best[name] = min(best[name], time.perf_counter() - begun)
            cores[name] = min(cores[name], time.process_time() - used)
    table: dict[str, dict[str, Value]] = {}
    for name, seconds in best.items():
        table[name] = {
            "texts per second": round(len(texts) / seconds),
            "against the baseline": round(best[BASELINE] / seconds, 1),
            "texts per second of one core": round(len(texts) / cores[name]),
        }
        if rows[name].shape == rows[BASELINE].shape:
            cosines = (rows[name] * rows[BASELINE]).sum(axis=1)
            table[name]["lowest cosine"] = round(float(cosines.min()), 4)
            table[name]["mean cosine"] = round(float(np.mean(cosines)), 4)
    return table


def start_up() -> dict[str, dict[str, Value]]:
    """Return what a process costs that encodes one query, by the runtime it uses."""
    table: dict[str, dict[str, Value]] = {}
    for runtime in ("fp32", "bf16", "int8"):
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", CHILD],
            env={**os.environ, "CODESEARCH_RUNTIME": runtime},
            check=True,
            capture_output=True,
            text=True,
        )
        seconds, kilobytes = done.stdout.split()
        table[runtime] = {
            "seconds to the first vector": round(float(seconds), 2),
            "megabytes (PSS)": round(int(kilobytes) / 1000),
        }
    return table


if __name__ == "__main__":
    main()
