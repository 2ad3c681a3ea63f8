"""Elixir, Haskell, OCaml and Elm."""

from __future__ import annotations

from dataclasses import replace

from indexer.pipeline.rules.record import LanguageRules, kinds, restart, words

ELIXIR = LanguageRules(
    language="elixir",
    definitions={},
    commands=kinds(
        namespace="defmodule",
        interface="defprotocol",
        function="def defp defdelegate defguard defguardp",
        macro="defmacro defmacrop",
    ),
    prefixes={"defimpl": "arguments keywords pair value|arguments alias"},
    reserved=words("when"),
    names={
        "call": (
            "arguments alias|arguments call target"
            "|arguments binary_operator left target"
            "|arguments binary_operator operator|arguments identifier"
        )
    },
    clauses=words("call"),
    calls=words("call"),
    call=("target", "arguments"),
    import_calls=words("alias import use require"),
    import_arguments=words("alias"),
    decorators=words("unary_operator"),
    decorator_words=("@doc", "@spec", "@impl", "@deprecated"),
    decorated=words("source do_block"),
    docs=(
        "operand arguments string quoted_content|operand arguments sigil quoted_content"
        "|do_block unary_operator operand arguments string quoted_content"
    ),
    bodies=words("do_block"),
    blocks=words("do_block stab_clause body"),
    restart=restart(r"^[ \t]*(?:@doc|def\w*)\b"),
    sample=(
        'defmodule A.B do\n  alias C.D\n  @doc "E."\n  def f(x) when x > 0 do\n    1\n'
        "  end\n  def f(x), do: x\n  defp g, do: 1\n  defmacro h(x) do\n  end\nend\n"
        "defimpl I, for: J do\n  def k(x), do: 1\nend\n"
    ),
    sample_symbols=("A.B", "A.B.f", "A.B.g", "A.B.h", "J.k"),
)

HASKELL = LanguageRules(
    language="haskell",
    definitions=kinds(
        function="function bind signature",
        type="data_type newtype type_synomym type_family",
        interface="class",
    ),
    shallow=words("function bind signature"),
    clauses=words("function bind signature"),
    prefixes={"instance": "patterns *|name"},
    names={"function": "name|infix operator"},
    descent={"parens": "*", "apply": "*", "infix_id": "*"},
    odd_names=words("prefix_id operator name variable"),
    comments=words("comment haddock pragma"),
    bodies=words("class_declarations"),
    blocks=words("class_declarations instance_declarations local_binds do"),
    imports={"import": ("module",)},
    restart=restart(r"^(?:data|newtype|type|class|instance|[a-z_][\w']*[ \t]*::)"),
    sample=(
        "module A where\nimport B.C (d)\ndata E = F\nclass G a where\n  h :: a -> Int\n"
        "instance G E where\n  h e = 1\ni :: Int -> Int\ni 0 = 1\ni n = j\n"
        "  where j = n\ntype K = Int\n"
    ),
    sample_symbols=("E", "G", "G.h", "E.h", "i", "K"),
)

OCAML = LanguageRules(
    language="ocaml",
    definitions=kinds(
        function="let_binding external value_specification",
        method="method_definition",
        class_="class_binding",
        interface="module_type_definition class_type_binding",
        namespace="module_binding",
        type="type_binding exception_definition",
    ),
    names={
        "let_binding": "pattern",
        "external": "value_name",
        "value_specification": "value_name",
        "method_definition": "method_name",
        "class_binding": "class_name",
        "class_type_binding": "class_type_name",
        "module_type_definition": "module_type_name",
        "module_binding": "module_name",
        "exception_definition": "constructor_declaration constructor_name",
    },
    required={"let_binding": "parameter|fun_expression|function_expression"},
    shallow=words("let_binding"),
    wrappers=words(
        "value_definition type_definition module_definition class_definition"
    ),
    odd_names=words("parenthesized_operator value_name"),
    blocks=words("structure signature object_expression let_expression"),
    imports={"open_module": ("module",)},
    restart=restart(r"^(?:let|type|module|class|exception|external|open|and|val)\b"),
    sample=(
        "open A\ntype b = { c : int }\nlet d e = e\nlet f = 3\nlet rec g h = h\n"
        "and i j = j\nmodule K = struct\n  let l m = m\nend\n"
        "class n = object\n  method o = 1\nend\nexception P of string\n"
    ),
    sample_symbols=("b", "d", "g", "i", "K", "K.l", "n", "n.o", "P"),
)

OCAML_INTERFACE = replace(
    OCAML,
    language="ocaml_interface",
    sample="val a : int -> int\ntype b = int\nmodule C : sig\n  val d : int\nend\n",
    sample_symbols=("a", "b", "C", "C.d"),
)

ELM = LanguageRules(
    language="elm",
    definitions=kinds(
        function="value_declaration type_annotation port_annotation",
        type="type_alias_declaration type_declaration",
    ),
    names={
        "value_declaration": "functionDeclarationLeft lower_case_identifier",
    },
    shallow=words("value_declaration type_annotation"),
    clauses=words("value_declaration type_annotation"),
    comments=words("line_comment block_comment"),
    blocks=words("let_in_expr case_of_expr record_expr list_expr"),
    imports={"import_clause": ("moduleName",)},
    restart=restart(r"^(?:type|port|[a-z]\w*[ \t]*:)"),
    sample=(
        "module A exposing (..)\nimport B\ntype alias C = { d : Int }\ntype E = F\n"
        "g : Int -> Int\ng h =\n    let\n        i = h\n    in\n    i\n"
    ),
    sample_symbols=("C", "E", "g"),
)
