"""JavaScript, TypeScript and TSX."""

from __future__ import annotations

import re
from dataclasses import replace

from indexer.pipeline.rules.record import LanguageRules
from indexer.pipeline.types import ChunkKind

JAVASCRIPT = LanguageRules(
    language="javascript",
    definitions={
        "function_declaration": ChunkKind.FUNCTION,
        "generator_function_declaration": ChunkKind.FUNCTION,
        "method_definition": ChunkKind.METHOD,
        "class_declaration": ChunkKind.CLASS,
    },
    values={
        "arrow_function": ChunkKind.FUNCTION,
        "function_expression": ChunkKind.FUNCTION,
        "generator_function": ChunkKind.FUNCTION,
        "class": ChunkKind.CLASS,
    },
    bindings={
        "variable_declarator": ("name", "value"),
        "assignment_expression": ("left", "right"),
        "pair": ("key", "value"),
        "field_definition": ("property", "value"),
    },
    imports={"import_statement": ("source",), "export_statement": ("source",)},
    blocks=frozenset(
        {"statement_block", "class_body", "switch_body", "object", "array"}
    ),
    restart=re.compile(
        rb"^(?:export|(?:async[ \t]+)?function|(?:abstract[ \t]+)?class|interface|enum"
        rb"|type|namespace|const|let|var)\b",
        re.MULTILINE,
    ),
    containers=frozenset({"object"}),
    transparent=frozenset(
        {"parenthesized_expression", "as_expression", "satisfies_expression"}
    ),
    transparent_calls=frozenset(
        {
            "memo",
            "forwardRef",
            "observer",
            "useCallback",
            "debounce",
            "throttle",
            "defineComponent",
        }
    ),
    wrappers=frozenset(
        {
            "export_statement",
            "lexical_declaration",
            "variable_declaration",
            "expression_statement",
            "ambient_declaration",
        }
    ),
    decorated=frozenset({"class_body", "program"}),
    calls=frozenset({"call_expression"}),
    default_value="value",
    import_calls=frozenset({"require", "import"}),
    dropped_names=frozenset(
        {"exports", "module", "window", "globalThis", "this", "prototype"}
    ),
    sample=(
        "import x from 'y';\nexport class A { #b() {} c = () => 1; }\n"
        "const d = { e() {} };\nexport default () => 1;\n"
    ),
    sample_symbols=("A", "A.#b", "A.c", "d.e", "default"),
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    language="typescript",
    definitions={
        **JAVASCRIPT.definitions,
        "abstract_class_declaration": ChunkKind.CLASS,
        "interface_declaration": ChunkKind.INTERFACE,
        "enum_declaration": ChunkKind.ENUM,
        "type_alias_declaration": ChunkKind.TYPE,
        "internal_module": ChunkKind.NAMESPACE,
        "module": ChunkKind.NAMESPACE,
        "function_signature": ChunkKind.FUNCTION,
    },
    bindings={
        "variable_declarator": ("name", "value"),
        "assignment_expression": ("left", "right"),
        "pair": ("key", "value"),
        "public_field_definition": ("name", "value"),
    },
    imports={**JAVASCRIPT.imports, "import_require_clause": ("source",)},
    signatures=frozenset({"function_signature"}),
    sample=(
        "import x from 'y';\nexport abstract class A { b(): void {} c = () => 1; }\n"
        "namespace N { export const f = (): number => 1; }\n"
        "interface I { a: 1 }\nenum E { A }\ntype T = string;\n"
    ),
    sample_symbols=("A", "A.b", "A.c", "N", "N.f", "I", "E", "T"),
)

TSX = replace(
    TYPESCRIPT,
    language="tsx",
    sample="const A = () => <b>{1}</b>;\nclass C { d() { return <i/>; } }\n",
    sample_symbols=("A", "C", "C.d"),
)
