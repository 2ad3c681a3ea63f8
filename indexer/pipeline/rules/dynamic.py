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
    odd_names=words(
        "identifier constant setter operator scope_resolution simple_symbol"
    ),
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

LUA = LanguageRules(
    language="lua",
    definitions=kinds(function="function_declaration"),
    descent={"dot_index_expression": "field", "method_index_expression": "method"},
    scopes={"dot_index_expression": "table", "method_index_expression": "table"},
    values=kinds(function="function_definition"),
    bindings={
        "assignment_statement": ("variable_list name", "expression_list *"),
        "field": ("name", "value"),
    },
    containers=words("table_constructor"),
    wrappers=words("variable_declaration"),
    calls=words("function_call"),
    call=("name", "arguments"),
    import_calls=words("require"),
    blocks=words("block table_constructor"),
    restart=restart(r"^(?:local[ \t]+)?function\b|^[\w.]+[ \t]*=[ \t]*function\b"),
    sample=(
        "local a = require('b')\nlocal function c() end\nfunction M.d() end\n"
        "function M:e() end\nM.f = function() end\nlocal g = { h = function() end }\n"
    ),
    sample_symbols=("c", "M.d", "M.e", "M.f", "g.h"),
)

PERL = LanguageRules(
    language="perl",
    definitions=kinds(
        function="subroutine_declaration_statement method_declaration_statement",
        namespace="package_statement",
        class_="class_statement",
    ),
    required={"package_statement": "block", "class_statement": "block"},
    odd_names=words("package"),
    values=kinds(function="anonymous_subroutine_expression"),
    bindings={"assignment_expression": ("left variable", "right")},
    wrappers=words("expression_statement"),
    comments=words("comment pod"),
    bodies=words("block"),
    blocks=words("block"),
    imports={"use_statement": ("module",)},
    restart=restart(r"^(?:sub|package|class|method)[ \t]"),
    sample=(
        "use A::B;\nsub c { 1 }\npackage D::E { sub f { 1 } }\nmy $g = sub {\n  1\n};\n"
    ),
    sample_symbols=("c", "D.E", "D.E.f", "$g"),
)

R = LanguageRules(
    language="r",
    definitions={},
    commands=kinds(
        class_="setClass setRefClass", function="setGeneric", method="setMethod"
    ),
    names={
        "call": "arguments argument value content",
        "function_definition": "absent",
    },
    odd_names=words("string_content"),
    values=kinds(function="function_definition"),
    bindings={"binary_operator": ("lhs", "rhs")},
    calls=words("call"),
    import_calls=words("library require requireNamespace"),
    import_arguments=words("argument"),
    blocks=words("braced_expression"),
    restart=restart(r"^[\w.`]+[ \t]*(?:<-|=)[ \t]*function\b"),
    sample=(
        "library(a)\nb.c <- function(x) x\nsetClass('D')\ne = function() {\n  1\n}\n"
    ),
    sample_symbols=("b.c", "D", "e"),
)

JULIA = LanguageRules(
    language="julia",
    definitions=kinds(
        function="function_definition assignment",
        macro="macro_definition",
        class_="struct_definition",
        type="abstract_definition primitive_definition",
        namespace="module_definition",
    ),
    names={
        "function_definition": "signature",
        "macro_definition": "signature",
        "struct_definition": "type_head",
        "abstract_definition": "type_head",
        "primitive_definition": "type_head",
        "assignment": (
            "*call_expression|*where_expression|*typed_expression *call_expression"
        ),
    },
    descent={
        "signature": "*",
        "where_expression": "*",
        "typed_expression": "*",
        "call_expression": "*",
        "type_head": "*",
        "binary_expression": "*",
        "parametrized_type_expression": "*",
    },
    name_heads={"macro_definition": "@"},
    odd_names=words("operator"),
    comments=words("comment line_comment block_comment string_literal"),
    bodies=words("block"),
    blocks=words("block"),
    imports={
        "using_statement": ("identifier", "scoped_identifier"),
        "import_statement": ("identifier", "scoped_identifier"),
    },
    restart=restart(r"^(?:function|macro|struct|mutable|abstract|module|const)\b"),
    sample=(
        "using A\nmodule B\nstruct C{T} <: D\n  x::T\nend\n"
        "function e(p::C)::Int where T\n  1\nend\nf(x) = 1\ng = f(2)\n"
        "macro h(x)\nend\nabstract type I end\nend\n"
    ),
    sample_symbols=("B", "B.C", "B.e", "B.f", "B.@h", "B.I"),
)
