"""Generating: a set of cases made from the documentation of an index.

The first sentence of a symbol's docs asks for the symbol. It is in the index, word for
word, so such a set is easier than what people ask: each case says it is synthetic.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction

from codesearch.case_files.gathering import KEY_DIGITS, case_digest, check_case
from codesearch.case_files.records import NewCase, Refused
from codesearch.case_sets import add_cases, counted, make_set
from codesearch.cases import User
from codesearch.corpora import current_builds
from codesearch.errors import NothingIndexed, SearchError
from codesearch.funnel.query import read_query
from codesearch.models import CaseSet
from codesearch.targets import spell_in_file
from indexer.access import Viewer
from indexer.inspection import hides_texts
from indexer.models import Build, Chunk
from indexer.pipeline.sentences import first_sentence
from indexer.pipeline.surfaces import load_texts
from indexer.pipeline.texts import doc_of
from indexer.pipeline.types import ChunkKind, Mark
from indexer.places import lexical_folder

KINDS = (ChunkKind.FUNCTION, ChunkKind.METHOD, ChunkKind.CLASS)
NOT_WRITTEN_HERE = {Mark.TEST, Mark.GENERATED, Mark.VENDORED, Mark.EXAMPLE}
MOST_MADE = 2000


@dataclass(frozen=True, slots=True)
class Generated:
    """A set that was made, and how many cases its index would have given."""

    case_set: CaseSet
    made: int
    possible: int

    @property
    def told(self) -> str:
        """Return what was made, as a sentence."""
        return f"{counted(self.made, 'case')} made of {self.possible:,} possible."


@transaction.atomic
def generate_set(
    *,
    viewer: Viewer,
    user: User | None,
    repository: str,
    profile: str = "",
    count: int = 100,
    seed: int = 0,
    name: str = "",
) -> Generated:
    """Make a set of up to `count` sentences, spread evenly over the index.

    Equal arguments on an equal index give equal cases. A sentence that several symbols
    begin with has them all as targets. Raises SearchError where there are none.
    """
    if not 1 <= count <= MOST_MADE:
        raise SearchError(f"Between 1 and {MOST_MADE:,} cases can be made at once.")
    builds = current_builds(viewer, [repository], profile or None)
    if not builds:
        raise NothingIndexed(f"{repository} has no index to make cases from.")
    cases = sentence_cases(builds[0])
    if not cases:
        raise SearchError(
            f"{repository} documents no function, method or class with a sentence of "
            "3 to 16 words that is shown."
        )
    chosen = spread(cases, count, seed)
    case_set = make_set(
        viewer=viewer,
        user=user,
        name=name or f"docstrings of {repository}",
        repositories=[repository],
        profile=profile,
        description=f"First sentences of docstrings at {builds[0].revision[:12]}, "
        f"{len(chosen):,} of {len(cases):,}, seed {seed}.",
    )
    add_cases(case_set, user, chosen)
    return Generated(case_set, len(chosen), len(cases))


def sentence_cases(build: Build) -> list[NewCase]:
    """Return a case for each sentence of a build, in the order of its symbols."""
    targets: dict[str, list[str]] = defaultdict(list)
    for sentence, target in _sentences(build):
        targets[sentence].append(target)
    cases = (
        NewCase(
            query=sentence,
            targets=tuple((target, 1) for target in found),
            key=case_digest(sentence, found)[:KEY_DIGITS],
            is_synthetic=True,
        )
        for sentence, found in targets.items()
    )
    return [case for case in cases if _can_be_asked(case)]


def spread(cases: Sequence[NewCase], count: int, seed: int) -> list[NewCase]:
    """Return `count` of the cases at equal distances, from a place that `seed` says."""
    total = len(cases)
    count = min(count, total)
    start = random.Random(seed).randrange(total)  # noqa: S311 - not a secret
    chosen = sorted((start + n * total // count) % total for n in range(count))
    return [cases[n] for n in chosen]


def _sentences(build: Build) -> Iterator[tuple[str, str]]:
    """Yield the first sentence and the spelling of each documented symbol, in order."""
    lexical = lexical_folder(build)
    if hides_texts(build, lexical):
        return
    rows = Chunk.objects.filter(build=build).select_related("file").order_by("ordinal")
    named = Counter((chunk.file_id, chunk.symbol) for chunk in rows)
    chosen = [chunk for chunk in rows if _is_asked_for(chunk)]
    purposes = load_texts(lexical / "purpose", [chunk.ordinal for chunk in chosen])
    for chunk, purpose in zip(chosen, purposes, strict=True):
        if sentence := first_sentence(doc_of(purpose, chunk.kind)):
            is_alone = named[chunk.file_id, chunk.symbol] == 1
            yield (
                sentence,
                spell_in_file(
                    chunk.file.path, chunk.symbol, chunk.start_byte, is_alone=is_alone
                ),
            )


def _is_asked_for(chunk: Chunk) -> bool:
    is_first = chunk.duplicate_of is None
    is_ours = NOT_WRITTEN_HERE.isdisjoint(chunk.marks)
    return is_first and is_ours and chunk.kind in KINDS


def _can_be_asked(case: NewCase) -> bool:
    """Tell whether a sentence is asked as it is: none of its signs is a condition."""
    try:
        check_case(case)
    except Refused:
        return False
    return read_query(case.query).text == case.query
