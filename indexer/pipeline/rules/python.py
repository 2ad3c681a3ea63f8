"""Python."""

from __future__ import annotations

import re

from indexer.pipeline.rules.record import LanguageRules
from indexer.pipeline.types import ChunkKind

PYTHON = LanguageRules(
    language="python",
    definitions={
        "function_definition": ChunkKind.FUNCTION,
        "class_definition": ChunkKind.CLASS,
        "type_alias_statement": ChunkKind.TYPE,
    },
    values={"lambda": ChunkKind.FUNCTION},
    bindings={"assignment": ("left", "right")},
    imports={
        "import_statement": ("name",),
        "import_from_statement": ("module_name",),
        "future_import_statement": (),
    },
    implied_imports={"future_import_statement": "__future__"},
    blocks=frozenset({"block", "dictionary", "list"}),
    restart=re.compile(rb"^(?:async[ \t]+def|def|class)[ \t]+\w|^@\w", re.MULTILINE),
    name="name|left",
    wrappers=frozenset({"decorated_definition"}),
    docstrings=frozenset({"string", "concatenated_string"}),
    signature_decorators=frozenset({"@overload", "@typing.overload", "@t.overload"}),
    sample=(
        "import os\n@cache\nclass A:\n    'Doc.'\n    async def b(self): pass\n"
        "c = lambda: 1\n"
    ),
    sample_symbols=("A", "A.b", "c"),
)
