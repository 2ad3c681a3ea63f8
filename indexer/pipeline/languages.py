"""Languages: which one a file is in, told by its name and its first lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexer.pipeline.embedded import MIXED
from indexer.pipeline.rules import RULES

PLAIN_TEXT = "text"

MAX_READ = 64 * 1024  # characters; a header says what it is in before that
MAX_FIRST_LINE = 1000  # characters; a longer one is no shebang

MAX_STRUCTURED_DATA = 64 * 1024  # bytes of JSON, XML or YAML; configuration is shorter

_EXTENSIONS = {
    "python": "py pyi pyw pyx pxd",
    "javascript": "js jsx mjs cjs es6",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl cu cuh ino",
    "csharp": "cs csx",
    "ruby": "rb rake gemspec ru podspec jbuilder thor rbi",
    "php": "php phtml php5 php8",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala sc sbt",
    "bash": "sh bash zsh ksh bats",
    "fish": "fish",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "lua": "lua",
    "perl": "pl pm t psgi",
    "r": "r",
    "julia": "jl",
    "haskell": "hs lhs",
    "ocaml": "ml",
    "ocaml_interface": "mli",
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
    "sql": "sql ddl pgsql plsql psql",
    "solidity": "sol",
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
    "ipynb": "ipynb",
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
    "brewfile": "ruby",
    "fastfile": "ruby",
    "guardfile": "ruby",
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
    ".bash_aliases": "bash",
    "pkgbuild": "bash",
    ".rprofile": "r",
    ".gitignore": "ignore",
    ".dockerignore": "ignore",
    ".gitattributes": "ini",
    ".gitmodules": "ini",
    ".env": "ini",
    ".babelrc": "json",
    ".eslintrc": "json",
    ".prettierrc": "json",
}
_OBJECTIVE_C = re.compile(
    r"^[ \t]*(?:@(?:interface|implementation|protocol|class|import|end)\b|#import\b)",
    re.MULTILINE,
)
_CPP = re.compile(
    r"^[ \t]*(?:namespace\s+[\w:]+\s*\{|namespace\s*\{|template\s*<"
    r"|(?:public|private|protected)\s*:|using\s+(?:namespace\s+\w|\w+\s*=)"
    r"|(?:enum[ \t]+)?class[ \t]+\w[\w \t]*(?::[ \t]*(?:public|private|protected|\w+)"
    r"|\n?[ \t]*\{))",
    re.MULTILINE,
)
_MATLAB = re.compile(r"^[ \t]*(?:function\b|classdef\b|%)", re.MULTILINE)
_XML = re.compile(r"\s*(?:<\?xml|<!DOCTYPE TS>|<TS\b)")
# Languages that share an extension: the first whose pattern is found.
_BY_CONTENT = {
    "h": (("objective-c", _OBJECTIVE_C), ("cpp", _CPP)),
    "m": (("objective-c", _OBJECTIVE_C), ("matlab", _MATLAB)),
}
# An interpreter's name without its version.
_BY_INTERPRETER = {
    "python": "python",
    "pypy": "python",
    "uv": "python",
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
    "julia": "julia",
    "elixir": "elixir",
    "runghc": "haskell",
    "runhaskell": "haskell",
    "ocaml": "ocaml",
    "swift": "swift",
    "scala": "scala",
    "dart": "dart",
    "pwsh": "powershell",
    "make": "make",
}

LANGUAGES = frozenset(
    {
        *_EXTENSIONS,
        *_BY_NAME.values(),
        *_BY_INTERPRETER.values(),
        *(language for told in _BY_CONTENT.values() for language, _ in told),
    }
)

# What else people call a language, and which are asked for with one.
_OTHER_NAMES = {
    "golang": "go",
    "c#": "csharp",
    "f#": "fsharp",
    "shell": "bash",
    "zsh": "bash",
    "objc": "objective-c",
    "docker": "dockerfile",
    "makefile": "make",
    "protocol buffer": "protobuf",
    "protocol buffers": "protobuf",
    "hcl": "terraform",
    "restructuredtext": "rst",
    "jupyter notebook": "ipynb",
    "emacs lisp": "lisp",
    "scheme": "lisp",
    "visual basic": "vb",
}
DIALECTS = {"typescript": ("tsx",), "ocaml": ("ocaml_interface",)}

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


def has_symbols(language: str) -> bool:
    """Tell whether files in `language` are read by symbol."""
    return language in RULES or language in MIXED


def language_called(name: str) -> str | None:
    """Return the language of a name or an extension (`python`, `py`), in lower case."""
    if name in LANGUAGES:
        return name
    return _OTHER_NAMES.get(name) or _BY_EXTENSION.get(name.removeprefix("."))


@dataclass(frozen=True, slots=True)
class NamedLanguage:
    """What the name of a file says of its language.

    `language` is None where it says nothing. `shared` is its extension if several
    languages have it, else "". `is_bare` is true of a name without an extension.
    """

    language: str | None
    shared: str
    is_bare: bool


def detect_language(path: bytes, text: str) -> str:
    """Return the language of a file, "text" where nothing tells it."""
    return language_of(named_language(path), text)


def named_language(path: bytes) -> NamedLanguage:
    """Return what the name of a file says of its language."""
    name = _name(path)
    extension = _extension(name)
    language = _BY_NAME.get(name) or _BY_EXTENSION.get(extension)
    if language is None and name.startswith(("dockerfile.", "containerfile.")):
        language = "dockerfile"
    shared = extension if extension in _BY_CONTENT else ""
    return NamedLanguage(language, shared, is_bare=not extension)


def language_of(named: NamedLanguage, text: str) -> str:
    """Return the language of a text in a file of such a name.

    Without an extension by the interpreter of a shebang line; else by file name,
    then extension, then such a line. XML is told by its first line too: translation
    catalogues share `.ts`. Of `text`, the whole file or its first line, the beginning
    tells apart what shares an extension: headers of C, C++ and Objective-C, `.m` of
    Objective-C and MATLAB.
    """
    first_line = text[:MAX_FIRST_LINE].partition("\n")[0].lstrip("\ufeff")
    if _XML.match(first_line):
        return "xml"
    for told, pattern in _BY_CONTENT.get(named.shared, ()):
        if pattern.search(text, 0, MAX_READ):
            return told
    # A script that is called `build` is no file of Bazel.
    if named.is_bare and (language := _by_shebang(first_line)):
        return language
    return named.language or _by_shebang(first_line) or PLAIN_TEXT


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
    stem, _, extension = name.rpartition(".")
    return extension if stem else ""


def _by_shebang(first_line: str) -> str | None:
    """Return the language of the first known program of a `#!` line."""
    if not first_line.startswith("#!"):
        return None
    for word in first_line[2:].split():
        program = re.sub(r"[\d.]+\Z", "", word.rpartition("/")[2].lower())
        if language := _BY_INTERPRETER.get(program):
            return language
    return None
