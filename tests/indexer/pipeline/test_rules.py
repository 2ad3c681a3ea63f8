"""What the rules of a language say is what a person would say of its code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexer.pipeline import parsing
from indexer.pipeline.chunking import chunk_file
from indexer.pipeline.parsing import GrammarError, parse, self_test
from indexer.pipeline.rules import RULES


def names(text: str, language: str) -> list[str]:
    return [symbol.name for symbol in parse(text, language).symbols]


@pytest.mark.parametrize("language", RULES)
def test_a_table_is_filed_under_its_name_and_has_a_sample(language: str) -> None:
    rules = RULES[language]

    assert rules.language == language
    assert rules.sample_symbols


def test_a_renamed_node_fails_the_self_test_by_the_name_of_its_grammar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changed = replace(RULES["go"], sample_symbols=("Gone",))
    monkeypatch.setattr(parsing, "RULES", {"go": changed})

    with pytest.raises(GrammarError, match="The go grammar has changed"):
        self_test()


def test_text_under_if_0_is_not_read_and_spoils_nothing() -> None:
    text = (
        "int a(void) {\n#if 0\n}\nint dead(void) { it's {\n#if B\n#else\n#endif\n"
        "#else\nreturn 1;\n#endif\n}\nint b(void) { return 2; }\n"
    )

    found = parse(text, "c")

    assert [(s.name, s.start_line, s.end_line) for s in found.symbols] == [
        ("a", 1, 11),
        ("b", 12, 12),
    ]
    assert found.unparsed == ()
    assert len(chunk_file(text, found)) == 2


def test_an_else_between_directives_is_no_function() -> None:
    text = (
        "void f(int a) {\n#ifdef B\n  if (a) { g(); }\n#else\n  if (a)\n#endif\n"
        "  { h(); }\n  else if (b) { i(); }\n}\nint after(void) { return 1; }\n"
    )

    assert names(text, "c") == ["f", "after"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("std::string name(std::string other) { return other; }", ["name"]),
        ("int *(*f(int a))[3] { return 0; }", ["f"]),
        ("const A& A::operator=(const A& o) { return o; }", ["A.operator="]),
        ("template <> int B<C<int>, D>::e() { return 1; }", ["B.e"]),
        ("A::~A() {}", ["A.~A"]),
        ("A::operator bool() const { return true; }", ["A.operator bool"]),
        ("void n::m::f() try { } catch (...) { }", ["n.m.f"]),
        ("class Declared;\nstruct Also;\nenum class E;", []),
        (
            "MACRO_BEGIN namespace detail { int f() { return 1; } }",
            ["f"],
        ),
    ],
)
def test_the_name_of_a_declarator_is_at_its_end(text: str, expected: list[str]) -> None:
    assert names(text, "cpp") == expected


def test_methods_out_of_line_are_methods_of_their_class() -> None:
    symbol = parse("int Box<T>::get() { return 1; }", "cpp").symbols[0]

    assert (symbol.name, symbol.kind.value, symbol.parent) == (
        "Box.get",
        "method",
        "Box",
    )


@pytest.mark.parametrize(
    ("receiver", "name"),
    [
        ("s *Stack[T]", "Stack.Push"),
        ("*Stack", "Stack.Push"),
        ("Stack", "Stack.Push"),
        ("s (*Stack)", "Stack.Push"),
    ],
)
def test_a_go_method_belongs_to_the_type_of_its_receiver(
    receiver: str, name: str
) -> None:
    text = f"package a\nfunc ({receiver}) Push() {{}}\n"

    assert names(text, "go") == [name]


def test_grouped_types_of_go_have_a_span_each() -> None:
    text = "package a\ntype (\n\tA int\n\tB struct {\n\t}\n)\ntype (\n\tC int\n)\n"

    assert [(s.name, s.start_line, s.end_line) for s in parse(text, "go").symbols] == [
        ("A", 3, 3),
        ("B", 4, 5),
        ("C", 8, 8),
    ]


def test_an_impl_of_rust_names_its_type_whatever_it_is() -> None:
    text = (
        "impl<T> a::Tr for b::C<T> { fn f() {} }\nimpl Tr for u8 { fn g() {} }\n"
        "impl Tr for &[u8] { fn h() {} }\nimpl r#type { fn i() {} }\n"
    )

    assert names(text, "rust") == ["C.f", "u8.g", "h", "r#type.i"]


def test_attributes_belong_to_the_span_and_comments_do_not() -> None:
    text = "/// Doc.\n#[test]\n// why\n#[ignore]\nfn f() {}\n"

    symbol = parse(text, "rust").symbols[0]

    assert (symbol.start_line, symbol.doc) == (2, "Doc.")
    assert symbol.decorators == ("#[test]", "#[ignore]")
    assert symbol.signature == "fn f()"


def test_annotations_among_the_modifiers_are_decorators() -> None:
    text = "class A {\n  @Override\n  @B(c = 1)\n  public int d() { return 1; }\n}\n"

    symbol = parse(text, "java").symbols[1]

    assert symbol.decorators == ("@Override", "@B(c = 1)")
    assert symbol.signature == "public int d()"
    assert (symbol.start_line, symbol.end_line) == (2, 4)


def test_a_property_is_a_symbol_where_it_has_code_on_lines_of_its_own() -> None:
    text = (
        "class A {\n  public int B { get; set; }\n  public int C {\n"
        "    get { return 1; }\n  }\n}\n"
    )

    found = [(s.name, s.kind.value) for s in parse(text, "csharp").symbols]

    assert found == [("A", "class"), ("A.C", "property")]


def test_documentation_in_xml_loses_its_tags() -> None:
    text = '/// <summary>\n/// Adds <see cref="B"/>.\n/// </summary>\nclass A {}\n'

    assert parse(text, "csharp").symbols[0].doc == "Adds B."


def test_documentation_that_is_code_is_no_decorator() -> None:
    text = (
        'defmodule A do\n  @doc """\n  Adds.\n  """\n  @spec f(a) :: a\n'
        "  def f(x), do: x\n  def f(x, y), do: y\n  @doc ~S(Other.)\n"
        "  def f(x, y, z), do: z\nend\n"
    )

    found = parse(text, "elixir").symbols[1:]

    assert [(s.start_line, s.end_line, s.doc) for s in found] == [
        (2, 7, "Adds."),
        (8, 9, "Other."),
    ]
    assert [s.decorators for s in found] == [("@spec f(a) :: a",), ()]


def test_a_directive_is_no_documentation() -> None:
    text = "package a\n\n// F works.\n//\n//go:noinline\nfunc F() {}\n"

    assert parse(text, "go").symbols[0].doc == "F works."


def test_reading_goes_on_in_php_after_an_error() -> None:
    text = "<?php\nfunction a( { \n\nfunction b() { return 1; }\nclass C {}\n"

    assert {"b", "C"} <= set(names(text, "php"))


def test_kotlin_kinds_come_from_keywords() -> None:
    text = "interface A\nenum class B { C }\ndata class D(val e: Int)\nobject F\n"

    assert [(s.name, s.kind.value) for s in parse(text, "kotlin").symbols] == [
        ("A", "interface"),
        ("B", "enum"),
        ("D", "class"),
        ("F", "class"),
    ]


def test_swift_kinds_come_from_keywords_and_an_extension_is_only_a_prefix() -> None:
    text = (
        "struct A {\n}\nenum B {\n}\nactor C {\n}\nextension A.D {\n  func e() {}\n}\n"
    )

    assert [(s.name, s.kind.value) for s in parse(text, "swift").symbols] == [
        ("A", "class"),
        ("B", "enum"),
        ("C", "class"),
        ("A.D.e", "method"),
    ]


def test_a_body_that_is_a_sibling_belongs_to_its_function() -> None:
    text = (
        "class A {\n  A(this.b) : c = 1 {\n    void d() {\n    }\n  }\n"
        "  int e() {\n    return 1;\n  }\n}\n"
    )

    found = parse(text, "dart").symbols

    assert [(s.name, s.start_line, s.end_line) for s in found] == [
        ("A", 1, 9),
        ("A.A", 2, 5),
        ("A.A.d", 3, 4),
        ("A.e", 6, 8),
    ]


def test_scala_ends_a_definition_before_the_next_comment() -> None:
    text = (
        "class A:\n  def b: Int =\n    1\n\n  /** Doc. */\n  def c: Int = 2\nend A\n"
        "\n/** Last. */\nobject D\n"
    )

    found = parse(text, "scala").symbols

    assert [(s.name, s.start_line, s.end_line, s.doc) for s in found] == [
        ("A", 1, 7, None),
        ("A.b", 2, 3, None),
        ("A.c", 6, 6, "Doc."),
        ("D", 10, 10, "Last."),
    ]


def test_a_file_that_takes_too_long_is_windows_and_spoils_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "def f():\n    return 1\n" * 1_000

    with monkeypatch.context() as patch:
        patch.setattr(parsing, "PARSE_SECONDS", -1.0)
        found = parse(text, "python")

    assert found.timed_out
    assert (found.symbols, found.unparsed) == ((), ((1, 2_001),))
    assert {chunk.kind.value for chunk in chunk_file(text, found)} == {"window"}
    assert names("def g(): pass", "python") == ["g"]


def test_text_that_takes_a_parser_minutes_is_given_up() -> None:
    text = "// x\n# y\n-- z\n" * 20_000

    assert parse(text, "lua").symbols == ()


@pytest.mark.parametrize("language", sorted(RULES))
@pytest.mark.parametrize(
    "text",
    [
        "[" * 3_000 + "]" * 3_000,
        "((" * 3_000,
        "a<" * 2_000,
        "{" * 2_000 + "}" * 2_000,
        "x " * 5_000,
        "\x00\x0c\n'\"`",
        "🚀 é\n" * 100,
    ],
    ids=range(7),
)
def test_no_input_ends_the_process_in_any_language(text: str, language: str) -> None:
    found = parse(text, language)

    assert chunk_file(text, found)
    assert all(len(symbol.name) <= 255 for symbol in found.symbols)
