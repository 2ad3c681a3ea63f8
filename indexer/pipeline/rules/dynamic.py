"""Ruby, PHP, Bash, Lua, Perl, R and Julia."""

from __future__ import annotations

from indexer.pipeline.rules.record import LanguageRules, kinds, restart, words

RUBY = LanguageRules(
    language="ruby",
    definitions=kinds(
        function="method",
        method="singleton_method",
        class_="class",
        namespace="module",
    ),
    commands=kinds(method="define_method define_singleton_method"),
    names={"call": "arguments simple_symbol|arguments string string_content"},
    odd_names=words("identifier constant setter operator scope_resolution simple_symbol"),
    values=kinds(function="lambda"),
    bindings={"assignment": ("left", "right")},
    calls=words("call"),
    call=("method", "arguments"),
    import_calls=words("require require_relative load autoload"),
    blocks=words("body_statement do_block block hash array then else"),
    restart=restart(r"^[ \t]*(?:def|class|module)\b"),
    sample=(
        "require 'a'\nmodule B\n  class C::D\n    def <=>(o) = 1\n    def self.e; end\n"
        "    class << self\n      def f?; end\n    end\n"
        "    define_method(:g) { 1 }\n  end\nend\n"
    ),
    sample_symbols=(*("B", "B.C.D", "B.C.D.<=>", "B.C.D.e", "B.C.D.f?", "B.C.D.g"),),
)

PHP = LanguageRules(
    language="php",
    opening=b"<?php ",
    definitions=kinds(
        function="function_definition",
        method="method_declaration",
        class_="class_declaration",
        interface="interface_declaration trait_declaration",
        enum="enum_declaration",
    ),
    values=kinds(function="anonymous_function arrow_function"),
    bindings={"assignment_expression": ("left", "right")},
    wrappers=words("expression_statement"),
    decorators=words("attribute_list"),
    blocks=words(
        "compound_statement declaration_list enum_declaration_list colon_block"
        " array_creation_expression"
    ),
    imports={"namespace_use_clause": ("qualified_name", "name")},
    restart=restart(
        r"^[ \t]*(?:#\[|(?:abstract|final|public|private|protected|static|readonly"
        r"|function|class|interface|trait|enum)\b)"
    ),
    sample=(
        "<?php\nuse A\\B;\nfunction c() {}\n#[D]\nfinal class E { function f() {} }\n"
        "interface G { function h(); }\ntrait I {}\nenum J { case K; }\n"
    ),
    sample_symbols=("c", "E", "E.f", "G", "G.h", "I", "J"),
)

BASH = LanguageRules(
    language="bash",
    definitions=kinds(function="function_definition"),
    odd_names=words("word"),
    joint="::",
    blocks=words("compound_statement subshell do_group"),
    restart=restart(r"^(?:function[ \t]+[\w:.-]+|[\w:.-]+[ \t]*\([ \t]*\))"),
    sample="a-b::c() { :; }\nfunction d { e() { :; }; }\n",
    sample_symbols=("a-b::c", "d", "d.e"),
)
