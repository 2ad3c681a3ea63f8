"""Languages: which one a file is in, and what its syntax tree is made of.

The rules are data for one walk (`parsing`): node and field names of the
grammars in tree-sitter-language-pack 0.13.0. The parser's self-test notices
when a grammar changes its names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from indexer.pipeline.types import ChunkKind

PLAIN_TEXT = "text"

MAX_STRUCTURED_DATA = 64 * 1024  # bytes of JSON, XML or YAML; configuration is shorter

_EXTENSIONS = {
    "python": "py pyi pyw pyx pxd",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl cu cuh ino",
    "csharp": "cs csx",
    "ruby": "rb rake gemspec ru",
    "php": "php phtml php5 php8",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala sc",
    "bash": "sh bash zsh ksh bats",
    "fish": "fish",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "lua": "lua",
    "perl": "pl pm t",
    "r": "r",
    "julia": "jl",
    "haskell": "hs lhs",
    "ocaml": "ml mli",
    "fsharp": "fs fsi fsx",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "clojure": "clj cljs cljc edn",
    "elm": "elm",
    "dart": "dart",
    "zig": "zig",
    "nim": "nim",
    "objective-c": "m mm",
    "groovy": "groovy gradle",
    "lisp": "lisp el scm rkt",
    "fortran": "f f90 f95 f03",
    "pascal": "pas",
    "vb": "vb vbs",
    "assembly": "asm s",
    "sql": "sql",
    "graphql": "graphql gql",
    "protobuf": "proto",
    "thrift": "thrift",
    "terraform": "tf tfvars hcl",
    "nix": "nix",
    "cmake": "cmake",
    "make": "mk mak",
    "vue": "vue",
    "svelte": "svelte",
    "astro": "astro",
    "html": "html htm xhtml jinja jinja2 j2 djhtml hbs mustache ejs twig liquid",
    "css": "css",
    "scss": "scss sass",
    "less": "less",
    "markdown": "md markdown mdx",
    "rst": "rst",
    "asciidoc": "adoc asciidoc",
    "tex": "tex sty cls",
    "text": "txt text log",
    "json": "json json5 jsonc webmanifest geojson",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf properties env editorconfig",
    "xml": "xml xsd xsl xslt plist svg rss wsdl csproj vbproj props targets resx",
    "gettext": "po pot",
    "csv": "csv tsv",
    "diff": "diff patch",
    "notebook": "ipynb",
    "vim": "vim",
}
_BY_EXTENSION = {
    extension: language
    for language, extensions in _EXTENSIONS.items()
    for extension in extensions.split()
}
_BY_NAME = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "podfile": "ruby",
    "jenkinsfile": "groovy",
    "build": "starlark",
    "build.bazel": "starlark",
    "workspace": "starlark",
    "sconstruct": "python",
    "wscript": "python",
    "pipfile": "toml",
    "cargo.lock": "toml",
    "poetry.lock": "toml",
    "go.mod": "go-module",
    "go.sum": "go-module",
    ".bashrc": "bash",
    ".bash_profile": "bash",
    ".profile": "bash",
    ".zshrc": "bash",
    ".gitignore": "ignore",
    ".dockerignore": "ignore",
    ".gitattributes": "ini",
    ".gitmodules": "ini",
    ".env": "ini",
    ".babelrc": "json",
    ".eslintrc": "json",
    ".prettierrc": "json",
}
# An interpreter's name without its version.
_BY_INTERPRETER = {
    "python": "python",
    "pypy": "python",
    "node": "javascript",
    "nodejs": "javascript",
    "deno": "typescript",
    "bun": "typescript",
    "ts-node": "typescript",
    "sh": "bash",
    "bash": "bash",
    "dash": "bash",
    "zsh": "bash",
    "ksh": "bash",
    "fish": "fish",
    "ruby": "ruby",
    "perl": "perl",
    "php": "php",
    "lua": "lua",
    "rscript": "r",
    "pwsh": "powershell",
    "make": "make",
}

_DATA_EXTENSIONS = frozenset(
    {
        "po",
        "pot",
        "csv",
        "tsv",
        "svg",
        "lock",
        "snap",
        "map",
        "geojson",
        "xliff",
        "xlf",
        "xmb",
        "jsonl",
        "ndjson",
    }
)
_LOCK_FILES = frozenset(
    {
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "go.sum",
        "composer.lock",
        "packages.lock.json",
        "gradle.lockfile",
        "bun.lockb",
        "flake.lock",
    }
)
_FIXTURE_FOLDERS = frozenset({"fixtures", "__fixtures__", "testdata", "__snapshots__"})
_FIXTURE_LANGUAGES = frozenset({"json", "yaml", "xml", "sql", "text"})
_STRUCTURED = frozenset({"json", "yaml", "xml"})


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """What the walk must know of one grammar; all names are node or field types.

    `definitions` become symbols of their kind, a function directly inside a type
    a method. `values` become symbols only when bound to a name: `bindings` are
    (name field, value field), seen through the `transparent` nodes and calls of
    `transparent_calls`; `containers` then only lengthen the names inside them.
    `wrappers` lend their span to the one thing they hold; `decorated` may hold
    decorators as siblings of what they decorate. `blocks` are where a long body
    may be cut. `imports` map a node to the fields that hold module names.
    `signatures` are heads without a body: symbols only where nothing implements
    them. `restart` is the line at which reading goes on after a syntax error.
    `sample` and `sample_symbols` are for the self-test.
    """

    language: str
    definitions: Mapping[str, ChunkKind]
    values: Mapping[str, ChunkKind]
    bindings: Mapping[str, tuple[str, str]]
    imports: Mapping[str, tuple[str, ...]]
    blocks: frozenset[str]
    restart: re.Pattern[bytes]
    sample: str
    sample_symbols: tuple[str, ...]
    name_fields: tuple[str, ...] = ("name",)
    containers: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset({"parenthesized_expression"})
    transparent_calls: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    decorated: frozenset[str] = frozenset()
    decorators: frozenset[str] = frozenset({"decorator"})
    comments: frozenset[str] = frozenset({"comment"})
    calls: frozenset[str] = frozenset()
    import_calls: frozenset[str] = frozenset()
    implied_imports: Mapping[str, str] = field(default_factory=dict)
    docstrings: frozenset[str] = frozenset()
    signatures: frozenset[str] = frozenset()
    signature_decorators: frozenset[str] = frozenset()
    dropped_names: frozenset[str] = frozenset()
    line_comment: str = "//"


_PYTHON = LanguageRules(
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
    name_fields=("name", "left"),
    wrappers=frozenset({"decorated_definition"}),
    docstrings=frozenset({"string", "concatenated_string"}),
    signature_decorators=frozenset({"@overload", "@typing.overload", "@t.overload"}),
    line_comment="#",
    sample=(
        "import os\n@cache\nclass A:\n    'Doc.'\n    async def b(self): pass\n"
        "c = lambda: 1\n"
    ),
    sample_symbols=("A", "A.b", "c"),
)

_JAVASCRIPT = LanguageRules(
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

_TYPESCRIPT = replace(
    _JAVASCRIPT,
    language="typescript",
    definitions={
        **_JAVASCRIPT.definitions,
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
    imports={**_JAVASCRIPT.imports, "import_require_clause": ("source",)},
    signatures=frozenset({"function_signature"}),
    sample=(
        "import x from 'y';\nexport abstract class A { b(): void {} c = () => 1; }\n"
        "namespace N { export const f = (): number => 1; }\n"
        "interface I { a: 1 }\nenum E { A }\ntype T = string;\n"
    ),
    sample_symbols=("A", "A.b", "A.c", "N", "N.f", "I", "E", "T"),
)

RULES: Mapping[str, LanguageRules] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": replace(
        _TYPESCRIPT,
        language="tsx",
        sample="const A = () => <b>{1}</b>;\nclass C { d() { return <i/>; } }\n",
        sample_symbols=("A", "C", "C.d"),
    ),
}


def has_symbols(language: str) -> bool:
    """Tell whether files in `language` are read by symbol."""
    return language in RULES


def detect_language(path: bytes, first_line: str) -> str:
    """Return the language of a file, "text" where nothing tells it.

    By file name, then extension, then the interpreter of a shebang line. XML is
    told by its first line too: translation catalogues share `.ts`.
    """
    name = _name(path)
    if first_line.lstrip("\ufeff").startswith("<?xml"):
        return "xml"
    if language := _BY_NAME.get(name) or _BY_EXTENSION.get(_extension(name)):
        return language
    if name.startswith(("dockerfile.", "containerfile.")):
        return "dockerfile"
    return _by_shebang(first_line) or PLAIN_TEXT


def is_data_file(path: bytes, size: int) -> bool:
    """Tell whether a file holds data: it gets a summary and no chunks.

    Translation catalogues, lock files, tables, drawings, recorded snapshots,
    fixtures, and JSON, XML and YAML over 64 kB.
    """
    name = _name(path)
    extension = _extension(name)
    if extension in _DATA_EXTENSIONS or name in _LOCK_FILES:
        return True
    language = _BY_EXTENSION.get(extension, "")
    folders = path.decode("latin-1").lower().split("/")[:-1]
    if language in _FIXTURE_LANGUAGES and not _FIXTURE_FOLDERS.isdisjoint(folders):
        return True
    return language in _STRUCTURED and size > MAX_STRUCTURED_DATA


def _name(path: bytes) -> str:
    return path.rpartition(b"/")[2].decode("utf-8", "replace").lower()


def _extension(name: str) -> str:
    return PurePosixPath(name).suffix[1:]


def _by_shebang(first_line: str) -> str | None:
    """Return the language of the first known program of a `#!` line."""
    if not first_line.startswith("#!"):
        return None
    for word in first_line[2:].split():
        program = re.sub(r"[\d.]+\Z", "", word.rpartition("/")[2].lower())
        if language := _BY_INTERPRETER.get(program):
            return language
    return None
