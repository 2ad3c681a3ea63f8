r"""Parity: exact search finds the lines that ripgrep finds in the same blobs.

For the syntax both share. RE2's `\w`, `\d`, `\s` and `\b` know ASCII only, those of
ripgrep Unicode: it is asked for what they mean here. Line ends are ours: a text is
kept with LF, and ripgrep is told of CRLF.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer import services
from indexer.engines.exact import BuildTexts
from indexer.exact import build_texts
from indexer.models import Build
from indexer.opened import open_build
from indexer.pipeline.literals import Pattern, PatternError
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

RIPGREP = shutil.which("rg")
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("data_dir"),
    pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed"),
]

FILES: dict[str, str | bytes] = {
    "money.py": (
        '"""Money, as in a_b and aab."""\n\nimport os\n\n\n'
        "def pay(x, amount=9.50):\n    # Straße, STRASSE, ﬀ and the Kelvin K\n"
        "    return pay(x) + owe[0]\n"
    ),
    "no_newline.py": "a = 1\n\nb = aab\nab",
    "blank.txt": "\n\na\n \n\tb\n\n",
    "words.md": "# Ünïcode É é\n\n日本語 text, façade, naïve ǅ\nİstanbul ıssız ſ\n",
    "marked.txt": b"\xef\xbb\xbfab at the start\nand ab\n",
    "wide.txt": "ab in UTF-16\né and 日本\n".encode("utf-16"),
    "long.txt": "ab " * 3000 + "\nshort\n",
    "sub folder/ünï.txt": "ab\x0cab\x0bab\x85ab\u2028ab\nend",
}
WINDOWS = b"ab\r\n\r\nAB ends\r\nlast"

# Each atom as RE2 reads it, and as ripgrep is to be asked for the same.
ATOMS = [
    *((char, char) for char in "abxKks_-= 9éÉßſK日"),
    *((f"\\{char}", f"\\{char}") for char in ".*+?()[]{}|^$\\"),
    (".", "."),
    ("[ab]", "[ab]"),
    ("[^ab]", "[^ab]"),
    ("[a-mé-ö]", "[a-mé-ö]"),
    (r"\w", "[0-9A-Za-z_]"),
    (r"\W", "[^0-9A-Za-z_]"),
    (r"\d", "[0-9]"),
    (r"\s", r"[\t\f ]"),
    (r"\S", r"[^\t\f\r ]"),
    (r"\b", r"(?-u:\b)"),
    (r"\B", r"(?-u:\B)"),
    (r"\pL", r"\pL"),
    (r"\x{e9}", r"\x{e9}"),
    ("(?i:k)", "(?i:k)"),
    ("^", "^"),
    ("$", "$"),
    ("return", "return"),
    ("pay", "pay"),
]
Pair = tuple[str, str]


def joined(parts: list[Pair], between: str = "") -> Pair:
    return between.join(a for a, _ in parts), between.join(b for _, b in parts)


def repeated(part: Pair, suffix: str) -> Pair:
    return f"(?:{part[0]}){suffix}", f"(?:{part[1]}){suffix}"


REGEXES = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(joined),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: joined(parts, "|")),
        st.tuples(
            inner, st.sampled_from(["", "*", "+", "?", "+?", "{2}", "{1,3}", "{2,}"])
        ).map(lambda pair: repeated(*pair)),
    ),
    max_leaves=8,
)
LITERALS = st.one_of(
    st.text("abAB kK.é日(_9", min_size=1, max_size=4),
    st.sampled_from(["ab", "AB ends", "last", "return pay(x)", "naïve", "STRASSE"]),
)
GENERATED = settings(
    max_examples=250,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository({**FILES, "windows.txt": WINDOWS})


@pytest.fixture
def build(source: Path, encoder: WordEncoder) -> Build:
    index = services.register(name="parity", source=str(source))
    built = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )
    return Build.objects.select_related("index__repository").get(pk=built.pk)


Lines = set[tuple[str, int]]


class Ours:
    """Exact search over a build, as (path, line)."""

    def __init__(self, build: Build) -> None:
        catalogue = open_build(build, None).lexical.catalogue
        self.paths = [file.path.decode() for file in catalogue.files]
        self.texts: BuildTexts = build_texts(
            build, [file.path for file in catalogue.files]
        )

    def __call__(self, pattern: Pattern) -> Lines:
        found = self.texts.find(pattern)
        pairs = zip(found.files.tolist(), found.lines.tolist(), strict=True)
        return {(self.paths[file], line) for file, line in pairs}


def ripgrep(folder: Path, text: str, *options: str) -> Lines:
    """What ripgrep finds in the files of a folder, as (path, line)."""
    run = subprocess.run(  # noqa: S603 - a list, no shell
        [RIPGREP or "rg", "--no-config", "--hidden", "--no-ignore", "--no-heading"]
        + ["--with-filename", "--line-number", "--null", "--text", "--crlf"]
        + ["--glob", "!.git", "--color", "never", *options, "-e", text, "./"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert run.returncode < 2, run.stderr
    lines = set()
    for line in run.stdout.split(b"\n")[:-1]:
        path, _, rest = line.partition(b"\x00")
        lines.add((path.decode().removeprefix("./"), int(rest.partition(b":")[0])))
    return lines


def test_what_regular_expressions_find_is_what_ripgrep_finds(
    build: Build, source: Path
) -> None:
    ours = Ours(build)

    @GENERATED
    @given(regex=REGEXES, has_case=st.booleans())
    def agree(*, regex: Pair, has_case: bool) -> None:
        case = "--case-sensitive" if has_case else "--ignore-case"
        try:
            found = ours(Pattern(regex[0], is_regex=True, has_case=has_case))
        except PatternError:
            return

        expected = ripgrep(source, regex[1], case, "--glob", "!windows.txt")
        assert {one for one in found if one[0] != "windows.txt"} == expected

    agree()


def test_what_phrases_find_is_what_ripgrep_finds(build: Build, source: Path) -> None:
    ours = Ours(build)

    @GENERATED
    @given(text=LITERALS, has_case=st.booleans())
    def agree(*, text: str, has_case: bool) -> None:
        case = "--case-sensitive" if has_case else "--ignore-case"

        found = ours(Pattern(text, has_case=has_case))

        assert found == ripgrep(source, text, case, "--fixed-strings")

    agree()


def test_line_ends_of_windows_are_line_ends(build: Build, source: Path) -> None:
    ours = Ours(build)

    found = ours(Pattern("^(ab|ab ends|)$", is_regex=True))

    assert {("windows.txt", 1), ("windows.txt", 2), ("windows.txt", 3)} < found
    assert found == ripgrep(source, "^(ab|ab ends|)$", "--ignore-case")
