"""The plots of an audit: every number drawn is one of the payload, none is hidden."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from codesearch.plots.deaths import draw_deaths, spoken_reason
from codesearch.plots.history import Point, draw_history
from codesearch.plots.looks import looks_of
from codesearch.plots.losses import draw_losses
from codesearch.plots.outcome import draw_outcome
from codesearch.plots.recall import draw_recall, recall_curves
from codesearch.plots.shapes import Drawing, Text, is_within
from tests.codesearch.example_audit import STAGES, make_audit, make_foreign

BOTH = "beyond page 3, folded 1"


def words(drawing: Drawing | None) -> list[str]:
    assert drawing
    return [text.text for text in drawing.texts]


def overlaps(one: Text, other: Text) -> bool:
    apart = one.left + one.width <= other.left or other.left + other.width <= one.left
    return not apart and abs(one.y - other.y) < 11


def widths(drawing: Drawing, style: str) -> list[float]:
    """Return how wide the rectangles of a class are."""
    found = [shape.d for shape in drawing.shapes if shape.css.split()[0] == style]
    return [float(re.findall(r"h(-?[\d.]+)", d)[0]) for d in found]


def test_the_pieces_of_the_losses_are_all_targets_and_say_their_count() -> None:
    drawing = draw_losses(make_audit()["losses"])

    assert drawing
    said = words(drawing)
    assert "on page one 6 (0.600)" in said
    assert "not on page one 1 (0.100)" in said
    assert "lost at pool 1 (0.100)" in said
    assert "in no leg 1 (0.100)" in said
    assert "no such chunk 1 (0.100)" in said
    pieces = [shape for shape in drawing.shapes if "-soft" in shape.css]
    assert len(pieces) == 5  # A stage that lost nothing has none.
    assert drawing.description.endswith(", of 10")


def test_the_last_list_of_another_system_is_called_by_its_name() -> None:
    steps = [
        {"name": "legs", "kind": "leg", "kept": 3, "lost": 1},
        {"name": "prompt", "kind": "page", "kept": 2, "lost": 1},
    ]

    said = words(draw_losses({"total": 4, "steps": steps}))

    assert {"in prompt 2 (0.500)", "lost at prompt 1 (0.250)"} <= set(said)
    assert "in no leg 1 (0.250)" in said


def test_a_piece_is_as_wide_as_its_share() -> None:
    drawing = draw_losses(make_audit()["losses"])

    assert drawing
    assert widths(drawing, "f-ok-soft") == [787.2]
    assert widths(drawing, "f-target-soft") == [131.2, 131.2]


@given(st.lists(st.integers(0, 40), min_size=2, max_size=8))
def test_no_label_of_the_losses_meets_another_or_leaves_the_plot(
    lost: list[int],
) -> None:
    total = sum(lost) + 3
    kept, steps = total, []
    for n, count in enumerate(lost):
        kept -= count
        kind = "leg" if n == 0 else "pool"
        steps.append({"name": f"stage{n}", "kind": kind, "kept": kept, "lost": count})

    drawing = draw_losses({"total": total, "steps": steps})

    assert drawing
    labels = [text for text in drawing.texts if text.css.startswith("t-s")]
    assert all(is_within(label, 0, drawing.width) for label in labels)
    assert all(0 < label.y < drawing.height for label in labels)
    pairs = [(a, b) for i, a in enumerate(labels) for b in labels[:i]]
    assert not any(overlaps(a, b) for a, b in pairs)


def test_without_a_wanted_target_there_is_nothing_to_lose() -> None:
    assert draw_losses({"total": 0, "steps": []}) is None


def test_each_curve_ends_at_its_recall_and_has_a_look_of_its_own() -> None:
    audit = make_audit()

    drawing = draw_recall(audit)

    assert drawing
    said = words(drawing)
    for name, value in (("purpose", 0.7), ("bm25", 0.6), ("union", 0.8)):
        assert f"{name} {value:.3f}" in said
        assert f"{name} {value:.3f}" in drawing.description
    looks = looks_of(STAGES)
    drawn = [looks[name] for name in recall_curves(audit)]
    assert len({(look.style, look.mark) for look in drawn}) == len(drawn)
    assert len({(look.style, look.dash) for look in drawn}) == len(drawn)


def test_the_pool_is_a_cut_of_the_fusion_and_page_and_card_are_no_curves() -> None:
    drawn = recall_curves(make_audit())

    assert list(drawn) == [
        *("purpose", "body", "bm25", "symbol", "union", "fusion", "rerank", "result")
    ]
    assert words(draw_recall(make_audit())).count("pool") == 1


def test_another_system_has_its_own_stages_each_with_another_look() -> None:
    foreign = make_foreign()

    looks = looks_of(foreign["stages"])

    assert list(recall_curves(foreign)) == ["lexical", "dense", "union", "answers"]
    assert len({look.style for look in looks.values()}) == 4
    assert draw_recall(foreign)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9))
def test_the_names_of_the_curves_never_overlap(values: list[float]) -> None:
    stages = [
        {"name": f"leg{n}", "kind": "leg", "depth": 200} for n in range(len(values))
    ]
    measures = {
        f"leg{n}": {"recall": {1: {"mean": 0.0}, 200: {"mean": value}}}
        for n, value in enumerate(values)
    }

    drawing = draw_recall({"stages": stages, "measures": measures})

    assert drawing
    names = [text for text in drawing.texts if text.text.startswith("leg")]
    assert len(names) == len(values)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[:i]]
    assert not any(overlaps(a, b) for a, b in pairs)
    assert all(is_within(name, 0, drawing.width) for name in names)
    assert all(0 < name.y < drawing.height for name in names)


def test_numbers_of_k_may_have_come_from_json() -> None:
    measures = {"leg": {"recall": {"10": {"mean": 0.5}, "5": {"mean": 0.25}}}}
    stages = [{"name": "leg", "kind": "leg", "depth": 10}]

    found = recall_curves({"stages": stages, "measures": measures})

    assert found == {"leg": {5: 0.25, 10: 0.5}}


def test_deaths_are_as_long_as_their_count_and_say_their_reasons() -> None:
    deaths = [
        {
            "stage": "leg",
            "count": 2,
            "reasons": [{"reason": "below_floor", "count": 2}],
        },
        {
            "stage": "page",
            "count": 4,
            "reasons": [
                {"reason": "beyond_page", "count": 3},
                {"reason": "folded", "count": 1},
            ],
        },
    ]

    drawing = draw_deaths(deaths)

    assert drawing
    assert widths(drawing, "f-target") == [95.0, 190.0]
    assert words(drawing) == ["leg", "2", "below floor", "page", "4", BOTH]
    assert drawing.description == "leg 2, page 4"


def test_a_reason_keeps_what_it_names() -> None:
    assert spoken_reason("beyond_page") == "beyond page"
    assert spoken_reason("re_export_of:a_b") == "re-export of: a_b"


def test_where_nothing_died_nothing_is_drawn() -> None:
    assert draw_deaths([{"stage": "leg", "count": 0, "reasons": []}]) is None


def test_the_history_draws_what_is_known_of_each_audit() -> None:
    drawing = draw_history(
        [Point(3, 0.5, 0.25), Point(4, None, 0.5), Point(9, 1.0, 1.0)]
    )

    assert drawing
    assert {"audit 3", "audit 9", "pool 1.000", "page 1.000"} <= set(words(drawing))
    assert "audit 4: page 0.500" in drawing.description
    assert draw_history([Point(3, 0.5, 0.25)]) is None


def test_an_outcome_is_cut_by_its_counts() -> None:
    drawing = draw_outcome(19, 94, 7)

    assert drawing
    assert words(drawing) == ["▲ 19 better", "94 equal", "▼ 7 worse"]
    parts = [widths(drawing, css)[0] for css in ("f-ok", "f-line", "f-target")]
    assert parts == [72.8, 360.3, 26.8]
    assert draw_outcome(0, 0, 0) is None


def test_a_drawing_has_a_title_a_description_and_no_style() -> None:
    drawing = draw_recall(make_audit())

    html = render_to_string(
        "codesearch/_drawing.html", {"drawing": drawing, "name": "recall"}
    )

    assert '<title id="recall-t">Recall at k of each leg and stage</title>' in html
    assert 'aria-labelledby="recall-t recall-d"' in html
    assert "style=" not in html


def test_every_class_of_a_plot_is_in_the_stylesheet() -> None:
    audit = make_audit()
    drawings = [
        draw_losses(audit["losses"]),
        draw_recall(audit),
        draw_recall(make_foreign()),
        draw_deaths(audit["deaths"]),
        draw_history([Point(1, 0.5, 0.5), Point(2, 0.5, 0.5)]),
        draw_outcome(1, 1, 1),
    ]
    sheet = (Path(settings.BASE_DIR) / "static/css/app.css").read_text()

    used = {
        name
        for drawing in drawings
        if drawing
        for css in [one.css for one in drawing.shapes]
        + [one.css for one in drawing.texts]
        for name in css.split()
    }

    assert {name for name in used if not re.search(rf"\.{name}\b", sheet)} == set()


def test_no_stem_passes_a_label_where_little_is_lost_late() -> None:
    steps = [
        {"name": "legs", "kind": "leg", "kept": 88, "lost": 0},
        {"name": "pool", "kind": "pool", "kept": 87, "lost": 1},
        {"name": "page", "kind": "page", "kept": 85, "lost": 2},
    ]

    drawing = draw_losses({"total": 88, "steps": steps})

    assert drawing
    labels = [text for text in drawing.texts if text.css.startswith("t-s")]
    stems = [
        tuple(map(float, re.findall(r"[\d.]+", shape.d)))
        for shape in drawing.shapes
        if shape.css == "axis"
    ]
    assert len(stems) == len(labels) == 3
    passed = [
        (x, label.text)
        for x, start, end in stems
        for label in labels
        if label.left < x < label.left + label.width
        and min(start, end) < label.y < max(start, end)
    ]
    assert passed == []
