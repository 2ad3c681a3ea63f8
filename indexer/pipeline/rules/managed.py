"""Java, C#, Kotlin, Scala and Dart: classes with methods."""

from __future__ import annotations

from indexer.pipeline.rules.record import LanguageRules, kinds, restart, words
from indexer.pipeline.types import ChunkKind

_RESTART = restart(
    r"^[ \t]*(?:@\w|\[\w|(?:public|private|protected|internal|abstract|final|sealed"
    r"|static|open|data|class|interface|enum|record|struct|trait|object|fun|def"
    r"|case[ \t]+class|namespace|extension|mixin)\b)"
)

JAVA = LanguageRules(
    language="java",
    definitions=kinds(
        method=(
            "method_declaration constructor_declaration"
            " compact_constructor_declaration annotation_type_element_declaration"
        ),
        class_="class_declaration record_declaration",
        interface="interface_declaration annotation_type_declaration",
        enum="enum_declaration",
    ),
    values=kinds(function="lambda_expression"),
    bindings={"variable_declarator": ("name", "value")},
    wrappers=words("field_declaration local_variable_declaration"),
    asides=words(
        "modifiers type_identifier generic_type scoped_type_identifier integral_type"
        " floating_point_type boolean_type array_type"
    ),
    decorators=words("annotation marker_annotation"),
    modifiers=words("modifiers"),
    comments=words("line_comment block_comment"),
    blocks=words(
        "block constructor_body class_body interface_body enum_body"
        " enum_body_declarations annotation_type_body array_initializer"
    ),
    imports={"import_declaration": ("scoped_identifier", "identifier")},
    restart=_RESTART,
    sample=(
        "import a.b;\n@C public class D<T> { D() {} @E int f() { return 1; } }\n"
        "interface G { void h(); }\nenum I { J; int k() { return 1; } }\n"
        "record L(int m) {}\n"
    ),
    sample_symbols=("D", "D.D", "D.f", "G", "G.h", "I", "I.k", "L"),
)

CSHARP = LanguageRules(
    language="csharp",
    definitions=kinds(
        function="local_function_statement",
        method=(
            "method_declaration constructor_declaration destructor_declaration"
            " operator_declaration conversion_operator_declaration"
        ),
        property="property_declaration indexer_declaration event_declaration",
        class_="class_declaration struct_declaration record_declaration",
        interface="interface_declaration",
        enum="enum_declaration",
        type="delegate_declaration",
    ),
    names={
        "operator_declaration": "operator",
        "conversion_operator_declaration": "type",
        "indexer_declaration": "absent",
    },
    name_heads={
        "destructor_declaration": "~",
        "operator_declaration": "operator ",
        "conversion_operator_declaration": "operator ",
    },
    fixed_names={"indexer_declaration": "this[]"},
    descent={"generic_name": "identifier"},
    values=kinds(function="lambda_expression anonymous_method_expression"),
    bindings={"variable_declarator": ("name", "lambda_expression")},
    decorators=words("attribute_list"),
    bodies=words("accessor_list arrow_expression_clause"),
    blocks=words(
        "block declaration_list enum_member_declaration_list switch_body accessor_list"
        " initializer_expression"
    ),
    imports={"using_directive": ("qualified_name", "identifier")},
    restart=_RESTART,
    sample=(
        "using A;\nnamespace B { [C] public partial class D<T> {\n"
        "  D() {} ~D() {} public static D operator +(D a, D b) => a;\n"
        "  void E() { int F(int k) => k; } } }\ninterface G { void H(); }\n"
        "record struct I(int J);\ndelegate int K();\nenum L { M }\n"
    ),
    sample_symbols=(
        *("D", "D.D", "D.~D", "D.operator +", "D.E", "D.E.F"),
        *("G", "G.H", "I", "K", "L"),
    ),
)

KOTLIN = LanguageRules(
    language="kotlin",
    definitions=kinds(
        function="function_declaration",
        method="secondary_constructor",
        class_="class_declaration object_declaration companion_object",
        type="type_alias",
    ),
    refined={
        "class_declaration": {
            "interface": ChunkKind.INTERFACE,
            "enum": ChunkKind.ENUM,
        }
    },
    name="simple_identifier|type_identifier",
    names={
        "class_declaration": "type_identifier",
        "object_declaration": "type_identifier",
        "companion_object": "type_identifier",
        "type_alias": "type_identifier",
    },
    fixed_names={
        "companion_object": "Companion",
        "secondary_constructor": "constructor",
    },
    odd_names=words("simple_identifier type_identifier"),
    receivers={
        "function_declaration": (
            "receiver user_type type_identifier"
            "|receiver nullable_type user_type type_identifier"
        )
    },
    values=kinds(function="lambda_literal anonymous_function"),
    bindings={
        "property_declaration": (
            "variable_declaration simple_identifier",
            "lambda_literal|anonymous_function",
        )
    },
    decorators=words("annotation"),
    modifiers=words("modifiers"),
    comments=words("line_comment multiline_comment"),
    bodies=words("function_body class_body enum_class_body"),
    blocks=words("statements class_body enum_class_body control_structure_body"),
    imports={"import_header": ("identifier",)},
    restart=_RESTART,
    sample=(
        "import a.b\n@C data class D(val e: Int) {\n  fun f() {}\n"
        "  companion object { fun g() = 1 }\n}\nfun <T> List<T>.h(): Int = 1\n"
        "interface I {\n  fun j()\n}\nenum class K { L }\ntypealias O = Int\n"
        "val m = { n: Int -> n }\n"
    ),
    sample_symbols=(
        *("D", "D.f", "D.Companion", "D.Companion.g", "List.h", "I", "I.j"),
        *("K", "O", "m"),
    ),
)

DART = LanguageRules(
    language="dart",
    definitions=kinds(
        function="function_signature",
        method=(
            "getter_signature setter_signature operator_signature constructor_signature"
            " constant_constructor_signature factory_constructor_signature"
            " redirecting_factory_constructor_signature"
        ),
        class_="class_definition mixin_declaration extension_type_declaration",
        enum="enum_declaration",
        type="type_alias",
    ),
    names={
        "mixin_declaration": "identifier",
        "type_alias": "type_identifier",
        "operator_signature": "binary_operator|unary_operator|tilde_operator",
    },
    spelled={
        "constructor_signature": {"identifier": None, ".": None},
        "constant_constructor_signature": {"identifier": None, ".": None},
        "factory_constructor_signature": {"identifier": None, ".": None},
        "redirecting_factory_constructor_signature": {"identifier": None, ".": None},
    },
    name_heads={"operator_signature": "operator "},
    odd_names=words("binary_operator unary_operator tilde_operator"),
    prefixes={"extension_declaration": "class|name"},
    wrappers=words("method_signature declaration"),
    asides=words("initializers redirection"),
    decorated=words(
        "program class_body enum_body extension_body block lambda_expression"
    ),
    decorators=words("annotation"),
    tails=words("function_body"),
    comments=words("comment documentation_comment"),
    bodies=words("class_body"),
    blocks=words("block class_body enum_body extension_body"),
    imports={"configurable_uri": ("uri",)},
    restart=_RESTART,
    sample=(
        "import 'a.dart';\nclass B { B.c(); @d int e() { return 1; } int get f => 1;\n"
        "  B operator +(B o) => o; }\nextension G on H { int i() => 1; }\n"
        "mixin J {}\nenum K { l }\ntypedef M = int Function();\nint n() => 1;\n"
    ),
    sample_symbols=(
        *("B", "B.B.c", "B.e", "B.f", "B.operator +", "H.i", "J", "K", "M", "n"),
    ),
)

SOLIDITY = LanguageRules(
    language="solidity",
    definitions=kinds(
        function="function_definition",
        method="modifier_definition constructor_definition fallback_receive_definition",
        class_="contract_declaration library_declaration struct_declaration",
        interface="interface_declaration",
        enum="enum_declaration",
        type="event_definition error_declaration user_defined_type_definition",
    ),
    names={"constructor_definition": "absent"},
    spelled={"fallback_receive_definition": {"receive": None, "fallback": None}},
    fixed_names={"constructor_definition": "constructor"},
    blocks=words("contract_body function_body block_statement struct_body"),
    imports={"import_directive": ("source",)},
    restart=restart(
        r"^[ \t]*(?:contract|interface|library|abstract|function|struct|modifier)\b"
    ),
    sample=(
        'import "./a.sol";\ncontract B { event C(); constructor() {}\n'
        "  function d() public {} receive() external payable {}\n"
        "  struct E { uint f; } }\n"
        "interface G { function h() external; }\nlibrary I {}\n"
    ),
    sample_symbols=(
        *("B", "B.C", "B.constructor", "B.d", "B.receive", "B.E", "G", "G.h", "I"),
    ),
)

SCALA = LanguageRules(
    language="scala",
    definitions=kinds(
        function="function_definition function_declaration",
        class_="class_definition object_definition package_object given_definition",
        interface="trait_definition",
        enum="enum_definition",
        type="type_definition",
    ),
    odd_names=words("operator_identifier identifier"),
    values=kinds(function="lambda_expression"),
    bindings={"val_definition": ("pattern", "value")},
    decorators=words("annotation"),
    comments=words("comment block_comment"),
    bodies=words("with_template_body"),
    end_marker=restart(r"\s*\n[ \t]*end[ \t]+([\w$]+)"),
    blocks=words("block indented_block template_body enum_body case_block"),
    imports={"import_declaration": ("path",)},
    restart=_RESTART,
    sample=(
        "import a.b\n@c trait D { def e: Int; def +(o: D): D = o }\n"
        "object F { val g: Int => Int = x =>\n  x }\nenum H { case I }\n"
        "case class J(k: Int)\ntype L = Int\n"
    ),
    sample_symbols=("D", "D.e", "D.+", "F", "F.g", "H", "J", "L"),
)
