"""What each knob can do for a chunk, and the least change that admits it, as run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from codesearch.changes import minimal_changes
from codesearch.funnel.legs import score_legs
from codesearch.funnel.query import read_query
from codesearch.funnel.search import decide, run_search
from codesearch.funnel.types import Config, Findings, Models, QueryEncoder
from codesearch.knobs import KNOBS
from codesearch.switches import plain_fusion, without_conditions, without_legs
from codesearch.whatif import (
    GOALS,
    Answer,
    Asked,
    admitted,
    answers,
    ask,
    cards_changed,
)
from tests.codesearch.funnel.fake_corpus import FakeCorpus

MODELS = Models([QueryEncoder("", lambda text: np.ones(3, np.float32))])
CHUNKS = 60
LEAST_POOL = 20

number = st.integers(0, CHUNKS - 1)
partial = st.dictionaries(number, st.integers(1, 9).map(float), max_size=CHUNKS)


@dataclass(frozen=True)
class Case:
    """A corpus, what a query found in it, a config and a wanted chunk."""

    corpus: FakeCorpus
    findings: Findings
    asked: Asked

    def admits(self, config: Config, goal: str) -> bool:
        """Search anew with `config`, and look."""
        outcome = run_search(self.findings.query, self.corpus, MODELS, config)
        return admitted(outcome, self.asked.chunk, goal)


def make_case(corpus: FakeCorpus, config: Config, chunk: int, text: str) -> Case:
    findings = score_legs(read_query(text), corpus, MODELS)
    outcome = decide(findings, corpus, MODELS, config)
    return Case(corpus, findings, ask(findings, corpus, outcome, chunk))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Small pools over four legs, so that chunks die at every stage."""
    order = draw(st.permutations(range(CHUNKS)))
    body = {chunk: place / CHUNKS for place, chunk in enumerate(order)}
    corpus = FakeCorpus(CHUNKS, body=body, bm25=draw(partial), purpose=draw(partial))
    corpus.described["kind:class"] = set(range(0, CHUNKS, 2))
    config = Config(
        depth=draw(st.sampled_from([5, 15, 30])),
        pool_size=LEAST_POOL,
        rrf_k=draw(st.sampled_from([1, 60])),
        guarantee=draw(st.sampled_from([None, 0])),
        off=frozenset(draw(st.sampled_from([(), ("body",), ("symbol",)]))),
        cards_per_page=3,
        reranker="structural",
    )
    text = draw(st.sampled_from(["save", "save kind:class"]))
    return make_case(corpus, config, draw(number), text)


@settings(max_examples=120, deadline=None)
@given(cases(), st.sampled_from(sorted(KNOBS)))
def test_a_knob_says_what_searches_with_its_values_say(case: Case, name: str) -> None:
    one = next(one for one in answers(case.asked) if one.knob.name == name)
    for value, expected in claims(one):
        config = one.knob.turn(case.asked.config, value)
        assert case.admits(config, one.goal) == expected, value


def claims(one: Answer) -> Iterator[tuple[float, bool]]:
    """What an answer says of some values: ends, the values beside them, its nearest."""
    tried = {one.knob.least, one.knob.most, one.value}
    for step in one.steps:
        tried |= {step.start, step.stop}
    for found in one.intervals:
        width = 1 if one.knob.is_whole else 1e-9
        for end in (found.start, found.stop):
            tried |= {end - width, end, end + width}
    if one.nearest is not None:
        tried.add(one.nearest)
    if one.verdict != "cannot help":
        for value in sorted(tried):
            if one.knob.least <= value <= one.knob.most:
                yield value, any(value in found for found in one.intervals)


@settings(max_examples=40, deadline=None)
@given(cases())
def test_a_change_admits_the_chunk_and_no_cheaper_one_does(case: Case) -> None:
    asked = case.asked
    goal = "page" if asked.lost == "page" else "pool"

    found = minimal_changes(asked, MODELS, answers(asked))

    configs = [one for one in found if one.config]
    assert all(case.admits(one.config, goal) for one in configs if one.config)
    assert [one.cost for one in configs] == sorted(one.cost for one in configs)
    single = [one for one in configs if len(one.turned) == 1]
    least = min((one.cost for one in single), default=np.inf)
    if asked.lost not in (None, "scope"):
        for one in answers(asked):
            if GOALS[one.knob.stage] == goal:
                for value in cheaper(one, least):
                    config = one.knob.turn(asked.config, value)
                    assert not case.admits(config, goal), (one.knob, value)


def cheaper(one: Answer, least: float) -> list[float]:
    """Values of a knob that cost less than `least`; of many a few."""
    knob = one.knob
    span = min(least, 20.0) * max(abs(one.value), 1.0)
    steps = np.linspace(-span, span, 9)[1:-1]
    values = [one.value + step for step in steps.tolist()]
    if knob.is_whole:
        values = [float(round(value)) for value in values]
        values = [v for v in values if abs(v - one.value) < span]
    return [value for value in values if knob.least <= value <= knob.most]


@settings(max_examples=40, deadline=None)
@given(cases())
def test_legs_filters_and_guarantees_switched_off_answer_as_searches(
    case: Case,
) -> None:
    config = case.asked.config
    for one in without_legs(case.asked):
        changed = replace(config, off=frozenset(one.off))
        assert one.is_in == case.admits(changed, "pool"), one.off

    for one in without_conditions(case.asked):
        outcome = decide(case.findings, case.corpus, MODELS, config, ())
        assert one.is_in == admitted(outcome, case.asked.chunk, "pool")

    plain = plain_fusion(case.asked)
    assert plain.is_in == case.admits(replace(config, guarantee=0), "pool")


def test_a_knob_behind_the_death_cannot_help() -> None:
    body = {chunk: 1 - chunk / CHUNKS for chunk in range(CHUNKS)}
    config = Config(depth=30, pool_size=20, reranker="structural")
    corpus = FakeCorpus(CHUNKS, body=body)

    in_leg = verdicts(make_case(corpus, config, 25, "save"))
    in_none = verdicts(make_case(corpus, config, 35, "save"))

    assert in_leg["pool"] == "admits"
    assert in_leg["points.bm25"] == in_leg["cards"] == "cannot help"
    assert in_none["pool"] == in_none["k"] == in_none["weight.body"] == "cannot help"
    assert in_none["depth"] == "no value"


def verdicts(case: Case) -> dict[str, str]:
    return {one.knob.name: one.verdict for one in answers(case.asked)}


def test_without_a_single_setting_two_are_found() -> None:
    body = {chunk: 1 - chunk / CHUNKS for chunk in range(CHUNKS)}
    config = Config(depth=30, pool_size=20, reranker="structural")
    case = make_case(FakeCorpus(CHUNKS, body=body), config, 35, "save")

    found = minimal_changes(case.asked, MODELS, answers(case.asked))

    assert [one.turned for one in found] == [("depth", "pool")]
    assert found[0].config == replace(config, depth=36, pool_size=36)


def test_the_cards_of_a_first_page_that_are_new_are_counted() -> None:
    body = {chunk: 1 - chunk / CHUNKS for chunk in range(CHUNKS)}
    bm25 = {chunk: float(chunk) for chunk in range(1, CHUNKS)}
    corpus = FakeCorpus(CHUNKS, body=body, bm25=bm25)
    findings = score_legs(read_query("save"), corpus, MODELS)
    config = Config(cards_per_page=2, reranker="identity")

    before = decide(findings, corpus, MODELS, replace(config, off=frozenset({"bm25"})))
    after = decide(findings, corpus, MODELS, replace(config, off=frozenset({"body"})))

    assert cards_changed(before, after, corpus) == 2
    assert cards_changed(before, before, corpus) == 0
