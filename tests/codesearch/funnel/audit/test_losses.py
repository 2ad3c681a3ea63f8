"""Every wanted target is lost at one step or none, and the losses add up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.audit.losses import (
    deaths_of,
    losses_of,
    short_reason,
    steps_of,
)
from codesearch.funnel.audit.types import Judged, Stage, StageKind
from tests.codesearch.funnel.audit.lists import OURS, judged, query

STAGES = st.lists(
    st.builds(
        Stage, st.text("abc", min_size=1, max_size=3), st.sampled_from(StageKind)
    ),
    min_size=1,
    max_size=7,
    unique_by=lambda stage: stage.name,
)
DEATHS = st.sampled_from([None, ("corpus", "data_file"), ("page", "beyond_page")])


def kept_and_lost(*targets: Judged) -> list[tuple[str, int, int]]:
    losses = losses_of([query("q", *targets)], OURS)
    return [(one.name, one.kept, one.lost) for one in losses]


def test_each_target_is_lost_at_the_step_after_the_last_that_held_it() -> None:
    whole = {stage.name: 3 for stage in OURS}
    found = kept_and_lost(
        judged("shown", whole),
        judged("beyond", {**whole, "page": None}, ("page", "beyond_page")),
        judged("copy", {"bm25": 1, "pool": 4, "rerank": 2}, ("page", "duplicate_of:x")),
        judged("outvoted", {"body": 7, "fusion": 300}, ("pool", "outvoted")),
        judged("gap", {}, ("leg", "vocabulary_gap")),
        judged("skipped", {}, ("corpus", "skipped:minified")),
        judged("no answer", {}, ("corpus", "skipped:minified"), grade=0),
    )

    assert found == [
        ("before", 5, 1),
        ("legs", 4, 1),
        ("pool", 3, 1),
        ("rerank", 3, 0),
        ("result", 2, 1),
        ("page", 1, 1),
    ]


def test_without_such_a_death_nothing_is_lost_before_the_legs() -> None:
    assert kept_and_lost(judged("gap", {}, ("leg", "below_floor")))[0] == ("legs", 0, 1)


def test_of_another_system_the_stages_that_it_has_are_the_steps() -> None:
    stages = [
        Stage("dense", StageKind.LEG, 100),
        Stage("sparse", StageKind.LEG, 100),
        Stage("merged", StageKind.FUSION, 100),
        Stage("first", StageKind.RERANK, 50),
        Stage("second", StageKind.RERANK, 5),
    ]
    answers = [
        query("a", judged("x", {"dense": 9, "merged": 12, "first": 8})),
        query("b", judged("y", {"merged": 12})),
        query("c", judged("z", {})),
    ]

    losses = [(one.name, one.kept, one.lost) for one in losses_of(answers, stages)]

    assert [one.name for one in steps_of(stages)] == [
        *("legs", "merged", "first", "second")
    ]
    assert losses == [
        ("legs", 2, 1),
        ("merged", 2, 0),
        ("first", 1, 1),
        ("second", 0, 1),
    ]
    assert deaths_of(answers, stages) == {
        "legs": {"not_listed": 1},
        "first": {"not_listed": 1},
        "second": {"not_listed": 1},
    }


@given(stages=STAGES, data=st.data())
def test_losses_and_what_is_left_add_up(
    stages: list[Stage], data: st.DataObject
) -> None:
    places = st.fixed_dictionaries(
        {stage.name: st.one_of(st.none(), st.integers(1, 9)) for stage in stages}
    )
    targets = data.draw(
        st.lists(st.builds(judged, st.just("t"), places, DEATHS, st.integers(0, 2)))
    )
    total = sum(target.grade > 0 for target in targets)

    losses = losses_of([query("q", *targets)], stages)
    deaths = deaths_of([query("q", *targets)], stages)

    kept = total
    for loss in losses:
        assert loss.lost >= 0
        kept -= loss.lost
        assert loss.kept == kept
    counted = sum(sum(reasons.values()) for reasons in deaths.values())
    assert counted == total - kept


def test_deaths_are_counted_by_stage_in_order_and_by_reason() -> None:
    targets = [
        judged("a", {}, ("leg", "below_floor")),
        judged("b", {}, ("leg", "below_floor")),
        judged("c", {}, ("leg", "vocabulary_gap")),
        judged("d", {}, ("chunk", "merged_into:r@1:a.py#@0")),
        judged("e", {}, ("chunk", "merged_into:r@1:b.py#@0")),
        judged("f", {}, ("corpus", "skipped:minified")),
        judged("g", {"page": 1}),
    ]

    found = deaths_of([query("q", *targets)], OURS)

    assert list(found.items()) == [
        ("corpus", {"skipped:minified": 1}),
        ("chunk", {"merged_into": 2}),
        ("leg", {"below_floor": 2, "vocabulary_gap": 1}),
    ]


def test_only_ids_of_chunks_are_cut_off_a_reason() -> None:
    assert short_reason("duplicate_of:r@1:a.py#f@0") == "duplicate_of"
    assert short_reason("re_export_of:r@1:a.py#f@0") == "re_export_of"
    assert short_reason("leg_missing:purpose") == "leg_missing:purpose"
    assert short_reason("filter:path") == "filter:path"
