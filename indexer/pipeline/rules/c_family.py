"""C, C++ and Objective-C: names at the end of declarators."""

from __future__ import annotations

from dataclasses import replace

from indexer.pipeline.rules.record import LanguageRules, kinds, restart, words
from indexer.pipeline.types import ChunkKind

_RESERVED = words(
    "if else for while do switch case default return sizeof typedef goto defined"
    " namespace class struct union enum template typename using try catch throw new"
    " delete public private protected static const extern inline"
)
_RESTART = restart(
    r"^(?:(?:static|inline|extern|const|unsigned|typedef|struct|union|enum|class"
    r"|template|namespace|void|int|char|bool|auto|long|double|float|size_t)\b"
    r"|[A-Za-z_][\w:<>]*[ \t*&]+[\w:~]+[ \t]*\([^;]*$"
    r"|[A-Za-z_]\w*\([^;]*\)[ \t]*\{?$|@(?:interface|implementation|protocol))"
)
_DECLARATORS = {
    "pointer_declarator": "declarator",
    "function_declarator": "declarator",
    "array_declarator": "declarator",
    "init_declarator": "declarator",
    "reference_declarator": "*",
    "parenthesized_declarator": (
        "pointer_declarator|function_declarator|array_declarator|reference_declarator"
        "|block_pointer_declarator|*"
    ),
    "attributed_declarator": "*",
    "block_pointer_declarator": "*",
}

C = LanguageRules(
    language="c",
    definitions=kinds(
        function="function_definition",
        class_="struct_specifier union_specifier",
        enum="enum_specifier",
        type="type_definition",
        macro="preproc_function_def",
    ),
    required={
        "struct_specifier": "body",
        "union_specifier": "body",
        "enum_specifier": "body",
    },
    names={"function_definition": "declarator", "type_definition": "declarator"},
    descent=_DECLARATORS,
    reserved=_RESERVED,
    preprocessed=True,
    blocks=words(
        "compound_statement field_declaration_list enumerator_list initializer_list"
    ),
    imports={"preproc_include": ("path",)},
    restart=_RESTART,
    sample=(
        "#include <a.h>\n#define B(x) x\nstruct c { int d; };\n"
        "typedef int (*e)(void);\nint (*f(int g))(int) { return 0; }\n"
        "enum h { I };\n#if 0\nint j(void) {}\n#endif\n"
    ),
    sample_symbols=("B", "c", "e", "f", "h"),
)

OBJECTIVE_C = replace(
    C,
    language="objective-c",
    grammar="objc",
    definitions={
        **C.definitions,
        **kinds(
            class_="class_interface class_implementation",
            interface="protocol_declaration",
            method="method_definition method_declaration",
        ),
    },
    names={
        **C.names,
        "class_interface": "identifier",
        "class_implementation": "identifier",
        "protocol_declaration": "identifier",
    },
    spelled={
        "method_definition": {"identifier": None, "method_parameter": ":"},
        "method_declaration": {"identifier": None, "method_parameter": ":"},
    },
    bodies=words(
        "compound_statement implementation_definition method_declaration"
        " property_declaration instance_variables"
    ),
    imports={"preproc_include": ("path",), "module_import": ("path",)},
    sample=(
        "#import <A/A.h>\n@interface B : NSObject\n- (int)c:(int)d e:(int)f;\n@end\n"
        "@implementation B\n- (int)c:(int)d e:(int)f { return d; }\n@end\n"
        "@protocol G\n- (void)h;\n@end\nstatic int i(int j) { return j; }\n"
    ),
    sample_symbols=("B", "B.c:e:", "B", "B.c:e:", "G", "G.h", "i"),
)

CPP = replace(
    C,
    language="cpp",
    definitions={
        **C.definitions,
        **kinds(
            class_="class_specifier",
            type="alias_declaration concept_definition",
            namespace="namespace_definition",
        ),
    },
    required={**C.required, "class_specifier": "body"},
    attached=ChunkKind.CLASS,
    descent={
        **_DECLARATORS,
        "qualified_identifier": "name",
        "template_type": "name",
        "template_function": "name",
        "template_method": "name",
        "operator_cast": "type",
    },
    scopes={"qualified_identifier": "scope"},
    name_heads={"operator_cast": "operator "},
    odd_names=words(
        "operator_name destructor_name nested_namespace_specifier literal_operator"
    ),
    values=kinds(function="lambda_expression"),
    bindings={"init_declarator": ("declarator", "value")},
    wrappers=words("template_declaration linkage_specification declaration"),
    asides=words(
        "template_parameter_list requires_clause string_literal type_identifier"
        " primitive_type sized_type_specifier placeholder_type_specifier"
        " storage_class_specifier type_qualifier template_type"
        " attribute_declaration"
    ),
    blocks=C.blocks | {"declaration_list"},
    imports={**C.imports, "import_declaration": ("name",)},
    sample=(
        "#include <a>\nnamespace b::c { template <class T> class D {\n"
        "  ~D() = default; bool operator()() const { return 1; } }; }\n"
        "template <class T> T E<T>::f() { return 0; }\n"
        "auto g = [](int n) { return n; };\nenum class H { I };\nusing J = int;\n"
    ),
    sample_symbols=(
        "b.c",
        "b.c.D",
        "b.c.D.~D",
        "b.c.D.operator()",
        "E.f",
        "g",
        "H",
        "J",
    ),
)
