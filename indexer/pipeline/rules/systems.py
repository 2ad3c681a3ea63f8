"""Go, Rust, Swift and Zig."""

from __future__ import annotations

from indexer.pipeline.rules.record import LanguageRules, kinds, restart, words
from indexer.pipeline.types import ChunkKind

GO = LanguageRules(
    language="go",
    definitions=kinds(
        function="function_declaration",
        method="method_declaration",
        type="type_spec type_alias",
    ),
    refined={
        "type_spec": {
            "struct_type": ChunkKind.CLASS,
            "interface_type": ChunkKind.INTERFACE,
        }
    },
    receivers={"method_declaration": "receiver parameter_declaration type"},
    descent={
        "pointer_type": "*",
        "generic_type": "type",
        "parenthesized_type": "*",
    },
    values=kinds(function="func_literal"),
    bindings={
        "var_spec": ("name", "value"),
        "short_var_declaration": ("left", "right"),
        "assignment_statement": ("left", "right"),
    },
    transparent=words("parenthesized_expression expression_list"),
    wrappers=words("type_declaration var_declaration"),
    bodies=words("struct_type interface_type"),
    blocks=words("block statement_list field_declaration_list literal_value"),
    imports={"import_spec": ("path",)},
    restart=restart(r"^(?:func|type|var|const)\b"),
    sample=(
        'package a\nimport "fmt"\ntype A[T any] struct{}\ntype B interface{ c() }\n'
        "func (a *A[T]) D() {}\nvar E = func() {}\ntype F int\n"
    ),
    sample_symbols=("A", "B", "A.D", "E", "F"),
)

RUST = LanguageRules(
    language="rust",
    definitions=kinds(
        function="function_item function_signature_item",
        class_="struct_item union_item",
        enum="enum_item",
        interface="trait_item",
        type="type_item",
        namespace="mod_item",
        macro="macro_definition",
    ),
    required={"mod_item": "body"},
    prefixes={"impl_item": "type"},
    descent={
        "generic_type": "type",
        "scoped_type_identifier": "name",
        "reference_type": "type",
        "pointer_type": "type",
        "dynamic_type": "trait",
    },
    values=kinds(function="closure_expression"),
    bindings={"let_declaration": ("pattern", "value")},
    decorators=words("attribute_item"),
    decorated=words("source_file declaration_list block"),
    comments=words("line_comment block_comment"),
    blocks=words("block declaration_list field_declaration_list enum_variant_list"),
    imports={
        "use_declaration": ("argument",),
        "extern_crate_declaration": ("name",),
    },
    restart=restart(
        r"^(?:#\[|pub|fn|struct|enum|union|trait|impl|mod|async|unsafe|const|static)"
    ),
    sample=(
        "use a::b;\n#[d]\npub struct A<T>(T);\nimpl<T> x::Y for A<T> { fn c() {} }\n"
        "trait D { fn e(); }\nmod f { fn g() {} }\nmacro_rules! h { () => {} }\n"
        "enum I {}\ntype J = u8;\n"
    ),
    sample_symbols=("A", "A.c", "D", "D.e", "f", "f.g", "h", "I", "J"),
)

ZIG = LanguageRules(
    language="zig",
    definitions=kinds(function="Decl TestDecl"),
    names={"Decl": "FnProto function", "TestDecl": "STRINGLITERALSINGLE"},
    name_heads={"TestDecl": "test "},
    odd_names=words("STRINGLITERALSINGLE"),
    values=kinds(class_="ContainerDecl"),
    bindings={
        "VarDecl": (
            "variable_type_function",
            "ErrorUnionExpr SuffixExpr ContainerDecl",
        )
    },
    comments=words("line_comment doc_comment container_doc_comment"),
    bodies=words("Block ContainerDecl"),
    blocks=words("Block ContainerDecl InitList"),
    restart=restart(r"^(?:pub|fn|const|var|test|export|extern|inline)\b"),
    sample=(
        "const A = struct {\n  b: i32,\n  pub fn c(d: i32) A { return .{}; }\n};\n"
        'pub fn e() !void {}\ntest "f g" {}\n'
    ),
    sample_symbols=("A", "A.c", "e", "test f g"),
)

SWIFT = LanguageRules(
    language="swift",
    definitions=kinds(
        function="function_declaration protocol_function_declaration",
        method="init_declaration deinit_declaration subscript_declaration",
        property="property_declaration",
        class_="class_declaration",
        interface="protocol_declaration",
        type="typealias_declaration",
    ),
    refined={"class_declaration": {"enum": ChunkKind.ENUM, "extension": None}},
    names={
        "property_declaration": "name bound_identifier",
        "subscript_declaration": "absent",
    },
    fixed_names={
        "subscript_declaration": "subscript",
        "deinit_declaration": "deinit",
    },
    values=kinds(function="lambda_literal"),
    decorators=words("attribute"),
    modifiers=words("modifiers"),
    comments=words("comment multiline_comment"),
    bodies=words("computed_property"),
    blocks=words("statements class_body enum_class_body protocol_body"),
    imports={"import_declaration": ("identifier",)},
    restart=restart(
        r"^(?:@\w|(?:public|private|internal|fileprivate|open|final|static|indirect"
        r"|func|class|struct|enum|protocol|extension|actor|typealias)\b)"
    ),
    sample=(
        "import A\n@x struct B<T> {\n  init() {}\n  func c() -> Int { 1 }\n}\n"
        "extension B { static func == (a: B, b: B) -> Bool { true } }\n"
        "enum D { case e }\nprotocol F { func g() }\ntypealias H = Int\n"
    ),
    sample_symbols=("B", "B.init", "B.c", "B.==", "D", "F", "F.g", "H"),
)
