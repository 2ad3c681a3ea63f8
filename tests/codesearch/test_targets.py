"""Whatever is wished for has exactly one end: one stage and reason, or page one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from codesearch import services
from codesearch.errors import AmbiguousTarget, UnreadableTarget
from codesearch.funnel.types import Config
from codesearch.payloads import Payload
from codesearch.targets import resolve_target, spell_in_file, spell_lasting
from codesearch.wishes import Lines, read_lines
from indexer import services as indexing
from indexer.access import ANYONE, COMMAND_LINE, Viewer
from indexer.models import Build, Repository
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

DEATHS = {
    "corpus": "not_in_repository|not_in_revision|not_read_yet|no_permission|data_file"
    "|(skipped|partial):[a-z_]+",
    "chunk": "not_extracted|merged_into:.+",
    "scope": "filter:[a-z]+",
    "leg": "vocabulary_gap|not_embedded|below_floor|no_evidence|leg_missing:.+",
    "pool": "outvoted",
    "page": "(duplicate_of|re_export_of):.+|beyond_page|folded",
}
LINES = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(5))


def follow(query: str, *targets: str, **more: Any) -> list[Payload]:
    wish: dict[str, Any] = {"viewer": ANYONE, "query": query, "targets": targets}
    rows: list[Payload] = services.trace(**(wish | more))["targets"]
    return rows


def end(target: Payload) -> str:
    """Return `stage: reason`, or "page one"; it must be of the closed list."""
    death = target["death"]
    if death is None:
        assert target["rank"]
        assert target["card"] <= 10
        return "page one"
    assert re.fullmatch(DEATHS[death["stage"]], death["reason"])
    was_chunk = death["stage"] not in ("corpus", "chunk")
    assert was_chunk == (target["chunk"] is not None)
    return f"{death['stage']}: {death['reason']}"


def build_of(name: str, source: Path, visibility: str = "public") -> Build:
    index = indexing.register(name=name, source=str(source))
    Repository.objects.filter(name=name).update(visibility=visibility)
    return indexing.finish_build(
        build=indexing.request_build(index=index, enqueue=False)
    )


@pytest.fixture
def hostile(
    db: None, data_dir: Path, encoder: WordEncoder, hostile_repository: Path
) -> Build:
    return build_of("hostile", hostile_repository)


def test_every_path_of_a_hostile_repository_has_one_end(hostile: Build) -> None:
    paths = list(hostile.files.values_list("path", flat=True))

    rows = follow("app main", *paths)
    beside = follow("app main lang:go", *paths)

    ends = {row["target"]: end(row) for row in rows}
    skipped = hostile.files.filter(mode="").values_list("path", "reason")
    assert len(ends) == 55
    assert {path: ends[path] for path, _ in skipped} == {
        path: f"corpus: skipped:{reason}" for path, reason in skipped
    }
    assert ends["src/app.py"] == "page one"
    assert {end(row) for row in beside if row["chunk"]} == {
        "scope: filter:lang",
        "page one",
    }


def test_every_line_of_a_hostile_repository_has_one_end(hostile: Build) -> None:
    wishes = [
        f"{path}{form.format(line)}"
        for path, lines in hostile.files.values_list("path", "lines")
        for form in (":{}", "#L{}")
        for line in (1, 2, lines or 1, (lines or 1) + 1)
    ]

    ends = {row["target"]: end(row) for row in follow("app main", *wishes)}

    assert len(ends) == len(set(wishes))
    assert ends["src/long_line.js:1"] == "corpus: partial:long_line"
    assert ends["src/app.py:4"] == "chunk: not_extracted"
    assert ends["loop:1"] == "corpus: skipped:symlink"


@pytest.mark.parametrize(
    "wish",
    [
        "names/a?b#c;d.py",
        "names/a?b#c;d.py:2",
        "names/-dash.py#L1-L3",
        "names/%2e%2e%2fetc.py:1",
        "names/<img src=x onerror=alert(1)>.py#L2",
    ],
)
def test_odd_paths_are_found_with_and_without_lines(hostile: Build, wish: str) -> None:
    (row,) = follow("marker", wish)

    assert row["chunk"]
    end(row)


def test_what_is_no_name_is_not_in_the_repository(hostile: Build) -> None:
    wishes = ["hostile:", ":", "#", "#L1", ":1", "a#b@1", "untracked.py", "…", "-1"]

    rows = follow("app main", *wishes)

    assert {end(row) for row in rows} == {"corpus: not_in_repository"}


def test_many_targets_are_traced_at_once_each_with_its_end(shop: Build) -> None:
    wishes = ["format_money", "locale/de.po", "logo.png", "billing/money.py:99", "gone"]

    rows = follow("format money kind:method", *wishes)

    assert [end(row) for row in rows] == [
        "scope: filter:kind",
        "corpus: data_file",
        "corpus: skipped:binary",
        "chunk: not_extracted",
        "corpus: not_in_repository",
    ]


def test_a_target_that_was_never_embedded_has_one_end(shop: Build) -> None:
    shop.layers.filter(kind="body").delete()
    windows = Config(depth=1, off=frozenset({"purpose"}))

    unknown, known = (
        follow(query, "notes.txt", config=windows)[0]
        for query in ("zebra", "invoices total")
    )

    assert end(unknown) == "leg: vocabulary_gap"
    assert end(known) == "leg: not_embedded"


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        ("a/x.py:620", ("a/x.py", Lines(620, 620))),
        ("a/x.py:10-20", ("a/x.py", Lines(10, 20))),
        ("a/x.py:20-10", ("a/x.py", Lines(10, 20))),
        ("a/x.py#L10", ("a/x.py", Lines(10, 10))),
        ("a/x.py#L10-L20", ("a/x.py", Lines(10, 20))),
        ("a/x.py#L10-20", ("a/x.py", Lines(10, 20))),
        ("a:1:2", ("a:1", Lines(2, 2))),
        ("a/x.py", ("a/x.py", None)),
        ("a/x.py#f@10", ("a/x.py#f@10", None)),
        ("a/x.py:10-", ("a/x.py:10-", None)),
    ],
)
def test_lines_are_read_as_they_are_written(
    wish: str, found: tuple[str, Lines | None]
) -> None:
    assert read_lines(wish) == found


@pytest.fixture
def lines(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    files: dict[str, str | bytes] = {"a.py": LINES, "b.py:1": "plain words\n"}
    return build_of("lines", make_repository(files))


def test_the_chunks_of_a_file_share_its_row(shop: Build) -> None:
    """With a row each, a file of 10,000 functions has its names read 10,000 times."""
    found = resolve_target("billing/money.py", [shop])

    assert len(found.chunks) > 1
    assert all(chunk.file is found.file for chunk in found.chunks)


@pytest.mark.parametrize("wish", ["a.py:5-10", "a.py#L5-L10", "lines:a.py:10-5"])
def test_of_a_range_the_chunk_that_came_furthest_stands_for_it(
    lines: Build, wish: str
) -> None:
    (row,) = follow("f2", wish)

    assert row["symbol"] == "f2"
    assert row["target"] == wish
    assert end(row) == "page one"


def test_a_range_that_no_chunk_covers_says_so(lines: Build) -> None:
    between, beyond = follow("f2", "a.py:3-4", "a.py:90-100")

    assert between["death"]["detail"] == "Nothing to search is in lines 3 to 4 of a.py."
    assert beyond["death"]["detail"] == "a.py has 20 lines; there is no line 90."


def test_a_path_that_looks_like_lines_is_a_path_first(lines: Build) -> None:
    (row,) = follow("plain", "b.py:1")

    assert row["path"] == "b.py:1"


@pytest.fixture
def vault(shop: Build, make_repository: MakeRepository) -> Build:
    """A second repository, which only staff may read."""
    source = make_repository({"vault.py": "def open_vault():\n    return 1\n"})
    return build_of("vault", source, "staff")


@pytest.mark.parametrize(
    "wish", ["open_vault", "vault.py", "vault.py:1", "vault:vault.py#L1"]
)
def test_a_target_that_others_may_not_read_is_told_to_staff_alone(
    vault: Build, wish: str
) -> None:
    scope = {"repositories": ["shop"]}

    (told,) = follow("open", wish, viewer=COMMAND_LINE, **scope)
    reader = Viewer(user_id=1, sees_all=False)
    (hidden,) = follow("open", wish, viewer=reader, **scope)

    assert end(told) == "corpus: no_permission"
    assert told["death"]["detail"] == (
        f"{wish} is in vault, which was not searched. Only staff may read vault:"
        " nobody else finds it."
    )
    assert end(hidden) == "corpus: not_in_repository"
    assert "vault, " not in hidden["death"]["detail"]


def test_a_hidden_target_and_none_at_all_are_told_the_same(vault: Build) -> None:
    hidden, nowhere = follow("open", "open_vault", "open_gates")

    spelled = {key: str(hidden["death"][key]) for key in ("detail", "needed")}
    assert {
        key: text.replace("open_vault", "open_gates") for key, text in spelled.items()
    } == {key: nowhere["death"][key] for key in spelled}
    rest = {"target", "death"}
    assert {k: v for k, v in hidden.items() if k not in rest} == {
        k: v for k, v in nowhere.items() if k not in rest
    }


def test_a_target_in_a_repository_that_was_not_searched_says_which(
    vault: Build,
) -> None:
    Repository.objects.filter(name="vault").update(visibility="public")

    (row,) = follow("open", "open_vault", repositories=["shop"])

    assert end(row) == "corpus: not_in_repository"
    assert row["death"]["detail"] == (
        "No symbol, path or line called open_vault is in shop."
        " It is in vault, which was not searched."
    )
    assert row["death"]["needed"] == "A search of vault."


def test_what_staff_share_names_no_repository_but_those_searched(
    client: Client, vault: Build
) -> None:
    link = services.share(
        viewer=COMMAND_LINE,
        user=AnonymousUser(),
        kind="trace",
        query="open",
        targets=["open_vault"],
        repositories=["shop"],
    )

    page = client.get(f"/s/{link.token}").content.decode()

    assert "Died at the corpus: not in repository" in page
    assert "vault, " not in page
    assert "no_permission" not in str(link.record.answer)


def test_the_words_of_the_query_are_counted_in_index_and_target(shop: Build) -> None:
    (row,) = follow("format_money NoSuchKey", "format_money")

    format_money, missing = row["words"]
    assert (format_money["word"], format_money["df"] > 0) == ("format_money", True)
    assert format_money["tf"] > 0
    assert [part["part"] for part in format_money["parts"]] == ["format", "monei"]
    assert all(part["tf"] > 0 for part in format_money["parts"])
    assert (missing["df"], missing["tf"]) == (0, 0)
    assert row["missing_share"] == missing["share"]
    assert format_money["share"] + missing["share"] == pytest.approx(1)


def test_lookup_says_whether_a_name_finds_the_target(shop: Build) -> None:
    named, own, file = follow(
        "which invoice total", "Invoice.total", "Report.send", "logo.png"
    )

    assert named["lookup"] == {
        "found": True,
        "name": "total",
        "in_query": True,
        "definitions": 2,
        "position": 2,
    }
    assert (own["lookup"]["name"], own["lookup"]["in_query"]) == ("send", False)
    assert file["lookup"] == {
        "found": False,
        "name": None,
        "in_query": None,
        "definitions": None,
        "position": None,
    }


def test_the_page_shows_words_and_lookup(client: Client, shop: Build) -> None:
    wish = {"q": "format_money kind:method", "target": "format_money"}

    page = client.get("/trace/", wish).content.decode()

    assert "Words of the query" in page
    assert '<span class="faint">part</span> <code>monei</code>' in page
    assert "Looking up the name “format_money” finds it as the only def" in page


@pytest.mark.parametrize("target", ["z" * 60_000, f"m.py#f@{'9' * 5000}"])
def test_a_target_longer_than_a_path_is_refused(shop: Build, target: str) -> None:
    with pytest.raises(UnreadableTarget, match="4,000 are read"):
        follow("format money", target)


SAME = "class A:\n    def get(self):\n        return 1\n\n\n"


def test_a_symbol_of_a_file_is_named_without_its_byte(
    data_dir: Path, encoder: WordEncoder, db: None, make_repository: MakeRepository
) -> None:
    files: dict[str, str | bytes] = {"a b.py": SAME, "c.py": SAME, "d.py": 2 * SAME}
    index = indexing.register(name="same", source=str(make_repository(files)))
    build = indexing.request_build(index=index, enqueue=False)
    indexing.finish_build(build=build)

    (one,) = resolve_target("a%20b.py#A.get", [build]).chunks
    (other,) = resolve_target("same:c.py#A.get", [build]).chunks

    assert (one.file.path, other.file.path) == ("a b.py", "c.py")
    assert (spell_lasting(one), spell_lasting(other)) == (
        "a%20b.py#A.get",
        "c.py#A.get",
    )
    with pytest.raises(AmbiguousTarget) as caught:
        resolve_target("d.py#A.get", [build])
    assert len(caught.value.candidates) == 2
    for chunk in build.chunks.all():
        assert resolve_target(spell_lasting(chunk), [build]).chunks == (chunk,)


def test_a_name_that_would_be_read_as_lines_keeps_its_byte() -> None:
    assert spell_in_file("a.js", "L10", 7, is_alone=True) == "a.js#L10@7"
    assert spell_in_file("a.js", "L10x", 7, is_alone=True) == "a.js#L10x"
    assert spell_in_file("a.js", "", 7, is_alone=True) == "a.js#@7"
    assert spell_in_file("a.js", "f", 7, is_alone=False) == "a.js#f@7"
