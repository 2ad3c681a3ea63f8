"""The chunk map: of any revision, live or without a script, for those who may."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from codesearch.payloads.chunk_map import map_payload
from codesearch.plots.chunk_map import DRAWN, LEFT, RIGHT, draw_map
from indexer import mapping, services
from indexer.access import ANYONE
from indexer.mapping import read_mapped
from indexer.models import Build, Chunk, Repository
from tests.codesearch.conftest import build_of
from tests.conftest import MakeRepository, build_all, run_git
from tests.encoders import WordEncoder

LONG = (
    "const top = () => 1;\n\n"  # 1
    + "function split() {\n"  # 3
    + "  work();\n" * 58
    + "}\n\n"  # 62
    + "class Queue {\n"  # 64
    + "  drain(rows) {\n"  # 65
    + "    rows.pop();\n" * 30
    + "  }\n}\n"  # 96, 97
)


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    """A folder with a script of 97 lines."""
    return make_repository(
        {"src/queue.js": LONG, "notes.txt": "Night.\n", "e.png": b"\0"}
    )


@pytest.fixture
def queue(db: None, data_dir: Path, encoder: WordEncoder, source: Path) -> Build:
    """Return the finished build of it."""
    return build_of("queue", source)


def address(build: Build, path: str = "src/queue.js", **more: object) -> str:
    query = "&".join(f"{name}={value}" for name, value in more.items())
    return f"/r/queue/map/{build.revision}/{path}?{query}"


def test_each_function_has_its_fate_its_windows_and_its_shifts(
    client: Client, queue: Build
) -> None:
    found = client.get(address(queue, format="json")).json()

    assert found["windows"] == [[1, 50], [41, 90], [81, 97]]
    assert [(one["symbol"], one["fate"]) for one in found["functions"]] == [
        ("top", "padded"),
        ("split", "fragmented"),
        ("Queue.drain", "fragmented"),
    ]
    top, split, drain = found["functions"]
    assert (top["padding"], top["window"]["share"]) == (49, 0.02)
    assert (split["window"]["lines"], split["lines"]) == (48, 60)
    assert [(one["start_line"], one["lines"]) for one in split["others"]] == [(41, 22)]
    assert (drain["window"]["start_line"], drain["window"]["lines"]) == (41, 26)
    assert [len(one["whole_at"]) for one in found["functions"]] == [40, 0, 19]
    assert found["fates"] == {"intact": 0, "padded": 1, "fragmented": 2}


def test_the_slider_moves_the_file_down(client: Client, queue: Build) -> None:
    found = client.get(address(queue, shift=16, format="json")).json()

    drain = found["functions"][2]
    assert (drain["start_line"], drain["end_line"], drain["file_line"]) == (81, 112, 65)
    assert drain["fate"] == "intact"
    assert 16 in drain["whole_at"]
    assert found["windows"] == [[1, 50], [41, 90], [81, 113]]


def test_the_page_works_without_a_script_and_its_fragment_with_one(
    client: Client, queue: Build
) -> None:
    page = client.get(address(queue, shift=16, line=70)).text
    said = "Line 70 is in Queue.drain (method, lines 65–96). Windows over it: 41–90, "
    fragment = client.get(address(queue, shift=16), headers={"HX-Request": "true"}).text

    assert (
        '<form class="card card__pad form-row" id="map-form" action="/r/queue/map/'
        in page
    )
    assert re.search(
        r'type="range" id="shift" name="shift" min="0" max="39" value="16"', page
    )
    assert f"{said}81–113." in page
    assert "<html" not in fragment
    assert fragment.strip().startswith('<div id="map">')


def test_what_a_line_regex_misses_is_counted(client: Client, queue: Build) -> None:
    found = client.get(address(queue, format="json")).json()

    assert (found["symbols"]["functions"], found["symbols"]["found"]) == (3, 1)
    assert "1 of 3 functions and methods (33%)" in client.get(address(queue)).text


@pytest.mark.parametrize("wish", ["shift=40", "shift=-1", "shift=x", "line=0"])
def test_what_cannot_be_asked_is_refused_and_named(
    client: Client, queue: Build, wish: str
) -> None:
    page = client.get(f"{address(queue)}{wish}")
    json = client.get(f"{address(queue, format='json')}&{wish}")

    assert (page.status_code, json.status_code) == (400, 400)
    assert wish.partition("=")[0] in json.json()["error"]
    assert "notice--bad" in page.text


def test_a_revision_that_has_no_build_is_read_from_the_mirror(
    client: Client, queue: Build, source: Path
) -> None:
    (source / "src/queue.js").write_text("\n" * 16 + LONG)
    run_git(source, "commit", "-qam", "Move it down")
    index = queue.index
    newer = build_all(index)
    Build.objects.filter(pk=queue.pk).delete()

    old = client.get(address(queue))
    new = client.get(address(newer, format="json")).json()

    assert "No build is of this revision" in old.text
    assert f"/r/queue/map/{newer.revision}/src/queue.js" in old.text
    assert new["functions"][2]["fate"] == "intact"


def test_it_says_whether_the_builds_hold_the_same(client: Client, queue: Build) -> None:
    repository = queue.index.repository
    index = services.add_index(repository=repository, profile="window")
    build_all(index)
    same = client.get(address(queue)).text
    window = Chunk.objects.get(build__index=index, start_line=81)

    Chunk.objects.filter(pk=window.pk).update(start_line=82)
    other = client.get(address(queue)).text

    assert f"Build {queue.pk} (symbol) holds the same" in same
    assert "(window) holds the same 3 chunks" in same
    assert "(window) disagrees: 2 chunks are in it or in this map" in other


def test_a_file_without_functions_says_how_it_is_cut(
    client: Client, queue: Build
) -> None:
    text = client.get(address(queue, "notes.txt")).text
    image = client.get(address(queue, "e.png")).text

    assert "No function was found in it" in text
    assert "Not indexed: binary" in image
    assert "No chunker cuts it." in image


def test_what_a_viewer_may_not_read_is_not_there(client: Client, queue: Build) -> None:
    assert client.get(address(queue)).status_code == 200
    assert client.get(address(queue, "no.js")).status_code == 404
    assert client.get(f"/r/queue/map/{'0' * 40}/src/queue.js").status_code == 404
    assert client.get(f"/r/none/map/{queue.revision}/src/queue.js").status_code == 404

    Repository.objects.update(visibility="staff")

    assert client.get(address(queue)).status_code == 404


def test_a_secret_is_not_mapped(client: Client, queue: Build, source: Path) -> None:
    (source / ".env").write_text("KEY=1\n")
    run_git(source, "add", "-A")
    run_git(source, "commit", "-qm", "Add a secret")
    index = queue.index
    newer = build_all(index)

    page = client.get(address(newer, ".env"))

    assert "Not indexed: secret" in page.text


def test_file_and_inspection_lead_to_the_map(client: Client, queue: Build) -> None:
    for page in ("blob", "inspect"):
        text = client.get(address(queue).replace("/map/", f"/{page}/")).text
        assert f"/r/queue/map/{queue.revision}/src/queue.js" in text


def test_a_file_is_cut_once_for_all_shifts(
    client: Client, queue: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapping._cut_file.cache_clear()
    for shift in range(5):
        client.get(address(queue, shift=shift))

    assert mapping._cut_file.cache_info().misses == 1


def test_the_plot_shows_what_the_payload_says(queue: Build) -> None:
    file = read_mapped(ANYONE, "queue", queue.revision, b"src/queue.js")
    assert file is not None
    found = map_payload(file)

    plot = draw_map(found)

    unit = (RIGHT - LEFT) / 97
    assert [round(box.x) for box in plot.windows] == [
        round(LEFT + (start - 1) * unit) for start in (1, 41, 81)
    ]
    assert [mark.glyph for mark in plot.marks] == ["warn", "bad", "bad"]
    assert len(plot.lost) == 2
    held = plot.bars[2]
    assert round(held.width / unit) == 26
    assert all(box.x + box.width <= RIGHT + 0.01 for box in plot.bars + plot.windows)
    labels = {label.text for label in plot.texts}
    assert {"none; 26 of 32 lines in 41–90", "52%", "1–50", "65–96"} <= labels


def test_a_file_of_very_many_functions_is_drawn_in_part(queue: Build) -> None:
    file = read_mapped(ANYONE, "queue", queue.revision, b"src/queue.js")
    assert file is not None
    found = map_payload(file)
    found["functions"] *= DRAWN

    plot = draw_map(found)

    assert (len(plot.bars), plot.undrawn) == (DRAWN, 2 * DRAWN)
