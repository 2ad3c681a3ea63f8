"""The checker finds every line that Git does not hold, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.checker import Checker, Site, compare_text, in_process
from benchmarks.shown import Place, read_page
from benchmarks.truth import Truth, make_queries
from indexer import services
from indexer.models import Layer
from indexer.pipeline import store
from indexer.places import place_of
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

MONEY = '''"""Money: amounts and how to print them."""


@cache
def format_money(amount, locale):
    """Format an amount of money for a locale."""
    return f"{amount} {locale}\u200b"


class Till:
    """Holds money."""

    def total(self, rows):
        """Add the amounts of money up."""
        return sum(rows)
'''
NOTES = "\ufeff# Shop\r\n\r\nHow money comes in.\r\n\r\n## Till\r\n\r\nTwo of them.\r\n"
FILES: dict[str, str | bytes] = {
    "shop/money.py": MONEY,
    "shop/copy.py": MONEY,
    "NOTES.md": NOTES,
    "latin.py": 'def caf\xe9_money():\n    """Money for caf\xe9."""\n'.encode(
        "latin-1"
    ),
}
QUERIES = ("money", "format_money", "total amounts", "Till")


@pytest.fixture
def shop(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Path:
    source = make_repository(FILES)
    index = services.register(name="shop", source=str(source))
    services.finish_build(build=services.request_build(index=index, enqueue=False))
    return source


def differences(source: Path, site: Site | None = None) -> list[str]:
    checker = Checker(site or in_process(), Truth(source), "shop")
    wrong = [str(wrong) for query in QUERIES for wrong in checker.check(query)]
    assert not checker.refusals
    assert checker.tally.hits > 10
    assert checker.tally.lines > 50
    return wrong


def alter(name: str, change: Callable[[Path], None]) -> None:
    """Change one file of the lexical layer, and its checksum with it."""
    layer = Layer.objects.get(kind=Layer.Kind.LEXICAL)
    folder = place_of(layer).folder
    change(folder / name)
    layer.files = store.hash_files(folder)
    layer.save()


def test_a_sound_index_shows_what_git_holds(shop: Path) -> None:
    assert differences(shop) == []


def test_a_line_number_that_is_off_by_two_is_found(shop: Path) -> None:
    alter("catalogue/lines.npy", lambda path: np.save(path, np.load(path) + 2))

    found = "\n".join(differences(shop))

    assert "these lines do not hold 'Shop'" in found
    assert "the file has 15 lines" in found


def test_an_indexed_text_that_lost_a_letter_is_found(shop: Path) -> None:
    def spoil(path: Path) -> None:
        path.write_bytes(path.read_bytes().replace(b"sum(rows)", b"sum(cows)"))

    alter("body.txt", spoil)

    assert any(
        "line 15: indexed '        return sum(cows)'" in one
        for one in differences(shop)
    )


def test_a_page_that_shows_another_line_is_found(shop: Path) -> None:
    site = in_process()

    def spoiled(path: str) -> tuple[int, str]:
        status, body = site(path)
        return status, body.replace("Holds", "Loses")

    found = "\n".join(differences(shop, spoiled))

    assert 'shown \'    """Loses money."""\', Git has \'    """Holds' in found
    assert "raw of shop/" in found


def test_a_file_of_another_commit_is_found(shop: Path, tmp_path: Path) -> None:
    site = in_process()

    def renamed(path: str) -> tuple[int, str]:
        status, body = site(path)
        return status, body.replace("shop/", "shelf/")

    assert any("Git holds no such file" in one for one in differences(shop, renamed))


def test_a_status_of_500_is_wrong_and_a_sentence_is_kept(shop: Path) -> None:
    broken = Checker(lambda path: (500, "<html>"), Truth(shop), "shop")
    refusing = Checker(lambda path: (404, '{"error": "None."}'), Truth(shop), "shop")

    assert [str(wrong) for wrong in broken.check("x")] == ["'x': payload: status 500"]
    assert refusing.check("x") == []
    assert refusing.refusals == ["None."]


def test_a_text_in_parts_is_put_together() -> None:
    lines = ["def a():", "    one", "    two"]
    parts = ["shop a\ndef a():\n    one\n", "shop a\n    two"]

    assert compare_text(parts, [(1, 3)], lines) is None
    assert compare_text(parts[:1], [(1, 3)], lines) is not None
    assert compare_text([*parts, "three"], [(1, 3)], lines) is not None


def test_of_a_text_that_is_cut_the_beginning_is_compared() -> None:
    lines = ["def a():", "    one", "    two"]

    cut = "shop a\ndef a():\n    on"
    assert compare_text([cut], [(1, 3)], lines, is_cut=True) is None
    other = "shop a\ndef b():\n    on"
    assert compare_text([other], [(1, 3)], lines, is_cut=True) is not None


def test_a_piece_of_a_long_line_is_compared_as_any_other() -> None:
    lines = ["x = 1; " * 200]

    assert compare_text(["shop a\nx = 1; x = 1;"], [(1, 1)], lines) is None
    assert compare_text(["shop a\n" + " " * 9], [(1, 1)], lines) is None
    assert compare_text(["shop a\ny = 1;"], [(1, 1)], lines) is not None


def test_a_page_gives_its_lines_with_the_file_of_each() -> None:
    html = (
        '<a class="hit__name" href="/r/shop/blob/ab12/a%20b.py#L3-L4">x</a><table>'
        '<tr><td class="code__no">3</td><td class="code__src"><span class="k">if</span>'
        ' a &lt; <mark>b</mark><span class="ctrl">U+200B</span><br></td></tr>'
        '<tr><td class="code__no">4</td><td class="code__src">xx'
        '<span class="code__cut">… 9 more characters</span></td></tr></table>'
    )

    first, second = read_page(html).lines

    assert (first.place, first.number) == (Place("ab12", b"a b.py"), "3")
    assert (first.text, first.is_cut) == ("if a < b\u200b", False)
    assert (second.text, second.is_cut) == ("xx", True)


def test_queries_are_the_same_for_a_seed(shop: Path) -> None:
    truth = Truth(shop)

    assert make_queries(truth, 9, 1) == make_queries(truth, 9, 1)
    assert make_queries(truth, 9, 1) != make_queries(truth, 9, 2)
    assert "format_money" in make_queries(truth, 9, 1)
