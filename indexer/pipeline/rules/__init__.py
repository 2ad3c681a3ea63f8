"""The rules of every language that is read by symbol, as data.

Node and field names are those of tree-sitter-language-pack 0.13.0; the parser's
self-test notices when a grammar changes its names.
"""

from __future__ import annotations

from collections.abc import Mapping

from indexer.pipeline.rules.c_family import C, CPP
from indexer.pipeline.rules.dynamic import BASH, PHP, RUBY
from indexer.pipeline.rules.managed import CSHARP, JAVA, KOTLIN, SCALA
from indexer.pipeline.rules.python import PYTHON
from indexer.pipeline.rules.record import LanguageRules
from indexer.pipeline.rules.script import JAVASCRIPT, TSX, TYPESCRIPT
from indexer.pipeline.rules.systems import GO, RUST, SWIFT

RULES: Mapping[str, LanguageRules] = {
    rules.language: rules
    for rules in (
        *(PYTHON, JAVASCRIPT, TYPESCRIPT, TSX),
        *(GO, RUST, SWIFT),
        *(C, CPP),
        *(JAVA, CSHARP, KOTLIN, SCALA),
        *(RUBY, PHP, BASH),
    )
}

__all__ = ["RULES", "LanguageRules"]
