"""What qualifies the numbers of a trace is said, with the numbers, and only then."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from codesearch import services
from codesearch.pages.trace.honesty import honest_sentences
from codesearch.payloads import Payload
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build
from indexer.places import mirror_of
from tests.codesearch.example_payload import make_target, make_trace, standing
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

ALWAYS = (
    "Numbers on this page are rounded; the JSON has them whole. What is equal here "
    "need not be equal there."
)


def plain() -> Payload:
    """Return a trace of which nothing but rounding is to be said."""
    trace = make_trace()
    trace["edge"]["pool"]["tie"] = None
    trace["evidence"] |= {"overlength_count": 0, "index_type": {}}
    for name in ("purpose", "body"):
        trace["legs"][name]["matched"] = 1234
    return trace


def said(trace: Payload) -> list[str]:
    return [one for one in honest_sentences(trace) if one != ALWAYS]


def test_where_nothing_qualifies_the_numbers_only_rounding_is_said() -> None:
    assert honest_sentences(plain()) == [ALWAYS]


def test_cuts_inside_a_tie_are_said_of_leg_pool_and_page() -> None:
    trace = plain()
    tie = {"first": 199, "size": 14, "kept": 2, "score": 1.5}
    trace["edge"]["legs"]["bm25"]["tie"] = tie
    trace["edge"]["pool"]["tie"] = tie
    trace["config"]["cards_per_page"] = 2  # All hits of the example have one score.

    leg, pool, page = said(trace)

    assert leg == (
        "The end of the bm25 list falls inside a tie of 14: ordinals 199 to 212 have "
        "the same score and stand in the order of their paths and lines; 2 of them are "
        "in."
    )
    assert pool.startswith("The cut of the pool falls inside a tie of 14")
    assert page == (
        "Page one ends inside a tie of 6: ranks 5 and 6 have the same score, 0.100."
    )


def test_exactness_is_said_of_the_legs_that_ran() -> None:
    trace = plain()
    trace["legs"]["body"]["ran"] = False
    trace["evidence"]["index_type"] = {"purpose": "exact", "body": "x", "bm25": "exact"}

    assert said(trace) == ["purpose and bm25: exact."]


def test_terms_that_are_nowhere_or_nearly_everywhere_are_named() -> None:
    trace = plain()
    format_, money = trace["bm25_compared"]["terms"]
    format_ |= {"df": 0, "max_points": None}
    money |= {"is_common": True, "df_share": 0.61, "idf": 0.494}

    assert said(trace) == [
        "format occurs in no chunk: bm25 cannot add anything for it.",
        "monei is in 61% of the chunks: its idf, 0.494, is above 0 by the form of its "
        "formula; it tells little.",
    ]


def test_a_text_in_parts_says_which_of_them_scored() -> None:
    trace = plain()
    trace["evidence"]["overlength_count"] = 3
    target = make_target(parts={"purpose": 1, "body": 2})
    target["legs"]["body"] = standing(3, 0.5) | {"part": 2, "margin": 0.1, "z": 1.0}
    trace["targets"] = [target]

    assert said(trace) == [
        "3 texts are longer than the model reads and in parts (body 3): a chunk has "
        "the cosine of its best part.",
        "Cart.discount is one of them: its body in 2 parts of which number 2 has "
        "the score.",
    ]


def test_a_leg_that_does_not_know_every_chunk_ranks_among_those_it_knows() -> None:
    trace = plain()
    trace["legs"]["purpose"]["matched"] = 40

    assert said(trace) == [
        "The purpose leg knows 40 of 1,234 chunks: its ranks are among those. The "
        "others have no purpose text, or no vector yet."
    ]


def test_files_that_are_indexed_in_part_are_counted() -> None:
    trace = plain()
    trace["builds"][0]["counts"]["partial"] = 1

    assert said(trace) == [
        "1 file is indexed in part only; the coverage of the repository says which, "
        "and why."
    ]


def test_several_builds_and_embedders_are_said() -> None:
    trace = plain()
    trace["builds"] *= 2
    trace["legs"] |= {"purpose:aa": trace["legs"]["purpose"]}
    trace["legs"] |= {"purpose:bb": trace["legs"]["purpose"]}

    assert [one.partition(":")[0] for one in said(trace)] == [
        "2 builds are searched as one",
        "They have 2 embedders",
    ]


def test_a_record_from_before_it_was_kept_is_still_told_of() -> None:
    trace = make_trace()
    old = {
        name: value
        for name, value in trace.items()
        if name not in ("edge", "bm25_compared", "evidence")
    }
    old["targets"] = [
        {name: value for name, value in make_target().items() if name != "state"}
    ]

    assert ALWAYS in honest_sentences(old)


@pytest.fixture
def repository(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Path:
    return make_repository(
        {
            "kept.py": "def keep(money):\n    return money\n",
            "changed.py": "def change(money):\n    return money\n",
            "gone.py": "def lose(money):\n    return money\n",
        }
    )


def test_a_target_is_compared_with_the_newest_commit_that_was_fetched(
    repository: Path,
) -> None:
    index = indexing.register(name="shop", source=str(repository))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))
    first = Build.objects.get()
    (repository / "changed.py").write_text("def change(all):\n    return all\n")
    (repository / "gone.py").unlink()
    run_git(repository, "add", "--all")
    run_git(repository, "commit", "--quiet", "--message=Two")
    build = indexing.request_build(index=index, enqueue=False)
    indexing.finish_build(build=build)
    index.refresh_from_db()
    index.current_build = first  # As if the newer one had failed after its fetch.
    index.save()

    trace = services.trace(
        viewer=ANYONE, query="money", targets=["keep", "change", "lose"]
    )

    assert [t["state"] for t in trace["targets"]] == ["fresh", "stale", "missing"]
    newer = trace["evidence"]["builds"][0]["newer"]
    assert newer["revision"] != first.revision
    told = honest_sentences(trace)
    assert any(one.startswith("change has changed since") for one in told)
    assert any(one.startswith("lose is gone since") for one in told)
    assert any(f"{newer['revision'][:12]} was fetched since" in one for one in told)

    shutil.rmtree(mirror_of(index.repository))

    again = services.trace(viewer=ANYONE, query="money", targets=["change"])
    assert again["targets"][0]["state"] is None


def test_texts_in_parts_are_counted_and_no_folder_of_the_machine_is_named(
    repository: Path,
) -> None:
    lines = "\n".join(f"    money = money + {n} - {n}" for n in range(40))
    (repository / "long.py").write_text(f"def long(money):\n{lines}\n    return 1\n")
    run_git(repository, "add", "--all")
    run_git(repository, "commit", "--quiet", "--message=Two")
    index = indexing.register(name="shop", source=str(repository))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))

    trace = services.trace(viewer=ANYONE, query="money", targets=["long"])

    build = trace["evidence"]["builds"][0]
    assert trace["targets"][0]["parts"]["body"] > 1
    assert build["parts"]["body"] == 1
    assert sum(build["parts"].values()) == trace["evidence"]["overlength_count"]
    assert "/" not in build["embedder"]["model"]
    assert build["embedder"]["dimension"] == 64
    assert trace["evidence"]["n_symbols"] == 4
    assert trace["targets"][0]["state"] == "fresh"
