"""Texts: purpose, body and summary, each begun by where the chunk is."""

from __future__ import annotations

import pytest

from indexer.pipeline.texts import (
    context_line,
    doc_of,
    path_words,
    summary_text,
)
from indexer.pipeline.types import Chunk, ChunkKind
from tests.files import chunk_texts


def chunk(source: str, kind: ChunkKind = ChunkKind.FUNCTION, **fields: object) -> Chunk:
    data = source.encode()
    known: dict[str, object] = {"symbol": "f", "spans": ((0, len(data)),), **fields}
    return Chunk(
        kind=kind,
        start_byte=0,
        end_byte=len(data),
        start_line=1,
        end_line=source.count("\n") + 1,
        **known,  # type: ignore[arg-type]  # each test gives the fields it needs
    )


@pytest.mark.parametrize(
    ("path", "symbol", "expected"),
    [
        ("django/db/models/query.py", "QuerySet.get", "django db models query "
         "QuerySet.get"),
        ("src/my-app/__init__.py", "", "src my app init"),
        (".eslintrc", "", ".eslintrc"),
        ("v1.2/Makefile", "", "v1.2 Makefile"),
        ("--/__", "", "--/__"),
        ("a\udcff.py", "", "a?"),
    ],
)  # fmt: skip
def test_the_context_line_is_the_path_as_words_and_the_name(
    path: str, symbol: str, expected: str
) -> None:
    assert context_line(path_words(path), symbol) == expected


def test_the_purpose_is_signature_decorators_and_doc_without_the_body() -> None:
    source = '@cached\ndef f(a):\n    """Add one."""\n    return a + 1'
    found = chunk_texts(
        "m/x.py",
        chunk(
            source, signature="def f(a)", doc="Add one.", decorators=("@cached",)
        ),
        source.encode(),
    )  # fmt: skip

    assert found.purpose == "m x f\ndef f(a)\n@cached\nAdd one."
    assert found.body == f"m x f\n{source}"


def test_a_window_has_no_purpose() -> None:
    found = chunk_texts("a.sql", chunk("x", ChunkKind.WINDOW, symbol=""), b"x")

    assert found.purpose is None
    assert found.body == "a\nx"


def test_the_purpose_of_a_module_is_its_doc() -> None:
    module = chunk("x = 1", ChunkKind.MODULE, symbol="", doc="Numbers.", signature="no")

    assert chunk_texts("a.py", module, b"x = 1").purpose == "a\nNumbers."


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (ChunkKind.FUNCTION, {"signature": "def f(a)"}),
        (ChunkKind.METHOD, {"signature": "def f()", "decorators": ("@a", "[Fact]")}),
        (ChunkKind.SECTION, {"signature": "Guide > Install"}),
        (ChunkKind.MODULE, {"symbol": ""}),
        (ChunkKind.FILE, {"symbol": "", "signature": "name, version"}),
    ],
)
@pytest.mark.parametrize("doc", ["Add one.\n\nOr two.", None])
def test_the_doc_is_read_back_from_the_purpose(
    kind: ChunkKind, fields: dict[str, object], doc: str | None
) -> None:
    texts = chunk_texts("m/x.py", chunk("x", kind, doc=doc, **fields), b"x")

    assert doc_of(texts.purpose or "", kind) == (doc or "")


def test_a_window_has_no_doc() -> None:
    assert doc_of("", ChunkKind.WINDOW) == ""


def test_a_class_is_its_own_text_and_its_members_signatures() -> None:
    source = "class C:\n    a = 1\n    def m(self): pass\n    b = 2\n"
    own = ((0, 18), (41, 50))
    found = chunk_texts(
        "c.py",
        chunk(
            source, ChunkKind.CLASS, symbol="C", spans=own, members=("def m(self)",)
        ),
        source.encode(),
    )  # fmt: skip

    assert found.body == "c C\nclass C:\n    a = 1\n    b = 2\ndef m(self)"
    assert [found.body[offset:][:5] for offset, _ in found.body_breaks] == [
        "class",
        "    b",
        "def m",
    ]


def test_breaks_are_characters_where_the_file_has_bytes() -> None:
    source = "def f():\n    é = 'ü'\n    if é:\n        x()\n"
    data = source.encode()
    breaks = ((data.index(b"x()"), 1), (data.index(b"if"), 0))

    found = chunk_texts("a.py", chunk(source, breaks=breaks), data)

    places = [(found.body[offset:][:3], d) for offset, d in found.body_breaks]
    assert places == [("def", 0), ("if ", 0), ("x()", 1)]


def test_breaks_outside_of_the_spans_are_left_out() -> None:
    source = "class C:\n  x = 1\n  def m(self): pass\n"
    own = chunk(source, ChunkKind.CLASS, spans=((0, 16),), breaks=((19, 0), (16, 0)))

    assert len(chunk_texts("a.py", own, source.encode()).body_breaks) == 1


def test_a_summary_names_what_a_file_is_for_and_defines() -> None:
    doc = "Orders and\ninvoices.\n\nLong story."

    assert summary_text("a/b.py", doc, ["Order", "pay"], ["json", "os"]) == (
        "a/b.py\nOrders and invoices.\ndefines: Order, pay\nimports: json, os"
    )


def test_a_summary_without_a_grammar_has_terms() -> None:
    assert summary_text("a.cbl", None, [], [], ["ledger", "post"]) == (
        "a.cbl\nterms: ledger, post"
    )


def test_a_summary_is_never_empty() -> None:
    assert summary_text("a.py", None, [], []) == "a.py"
