"""The rules of every language that is read by symbol, as data.

Node and field names are those of tree-sitter-language-pack 0.13.0; the parser's
self-test notices when a grammar changes its names.
"""

from __future__ import annotations

from collections.abc import Mapping

from indexer.pipeline.rules.c_family import CPP, OBJECTIVE_C, C
from indexer.pipeline.rules.dynamic import BASH, JULIA, LUA, PERL, PHP, RUBY, R
from indexer.pipeline.rules.functional import (
    ELIXIR,
    ELM,
    HASKELL,
    OCAML,
    OCAML_INTERFACE,
)
from indexer.pipeline.rules.managed import CSHARP, DART, JAVA, KOTLIN, SCALA, SOLIDITY
from indexer.pipeline.rules.python import PYTHON
from indexer.pipeline.rules.query import SQL
from indexer.pipeline.rules.record import LanguageRules
from indexer.pipeline.rules.script import JAVASCRIPT, TSX, TYPESCRIPT
from indexer.pipeline.rules.systems import GO, RUST, SWIFT, ZIG

RULES: Mapping[str, LanguageRules] = {
    rules.language: rules
    for rules in (
        *(PYTHON, JAVASCRIPT, TYPESCRIPT, TSX),
        *(GO, RUST, SWIFT, ZIG),
        *(C, CPP, OBJECTIVE_C),
        *(JAVA, CSHARP, KOTLIN, SCALA, DART, SOLIDITY),
        *(RUBY, PHP, BASH, LUA, PERL, R, JULIA),
        *(ELIXIR, HASKELL, OCAML, OCAML_INTERFACE, ELM),
        SQL,
    )
}

__all__ = ["RULES", "LanguageRules"]
