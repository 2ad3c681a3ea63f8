"""Sample texts: 500 of them, to verify one runtime against another and to time both.

Functions of Python's standard library, which is always at hand, as short texts of
name and docstring and as long ones up to the limit, and texts that are no code at all.
The same on every run under one version of Python.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from indexer.pipeline.parts import split_text

SHORT, LONG, LONGEST = 300, 100, 50  # And 50 odd ones.

MODULES = (
    *("argparse", "configparser", "difflib", "email.message", "heapq", "inspect"),
    *("http.cookiejar", "json.decoder", "logging", "mailbox", "optparse", "pickle"),
    *("shutil", "smtplib", "socketserver", "statistics", "subprocess", "tarfile"),
    *("textwrap", "threading", "tokenize", "unittest.case", "urllib.parse"),
    *("urllib.request", "uuid", "xml.dom.minidom", "zipfile"),
)

ODD = (
    "a",
    "0",
    "?!",
    "{}[]();:,.<>",
    "____",
    "\t\tx\r\n\r\ny",
    "Größe naïve façade œuvre",
    "αριθμός λέξεων",
    "число строк в файле",
    "מספר השורות בקובץ",
    "عدد الأسطر في الملف",
    "फ़ाइल की पंक्तियाँ",
    "จำนวนบรรทัดในไฟล์",
    "文件中的行数",
    "ファイルの行数",
    "파일의 줄 수",
    "👩‍💻 ✅ 🇪🇺 🏴‍☠️",
    "e\u0301 n\u0303 a\u030a\u0323",  # Combining marks
    "∑∫∂ ≤ ≠ ∞ ⟨ψ|φ⟩",
    "┌──┬──┐│░▒▓█",
    "ｆｕｌｌ　ｗｉｄｔｈ",
    "zero\u200bwidth\u200djoin\ufeffmark",
    "\ue000\uf8ff private",
    "deadbeef" * 12,
    "aGVsbG8gd29ybGQh" * 8 + "==",
)

Piece = TypeVar("Piece")


def sample_texts(limit: int, count: Callable[[Sequence[str]], list[int]]) -> list[str]:
    """Return 500 texts of at most `limit` tokens, as `count` counts them."""
    functions = [found for name in MODULES for found in _functions(name)]
    short = [text for text, _ in _spread(functions, SHORT)]
    bodies = [body for _, body in functions]
    longest = sorted(bodies, key=lambda body: (-len(body), body))[:LONGEST]
    odd = [*ODD, *(f"def f():\n    return {text!r}  # {text}" for text in ODD)]
    texts = [*short, *_spread(bodies, LONG), *longest, *odd]
    return [split_text(text, breaks=(), limit=limit, count=count)[0] for text in texts]


def _functions(module: str) -> Iterator[tuple[str, str]]:
    """Yield a short and a long text of each function of a module, in order."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return
    source = Path(spec.origin).read_text(encoding="utf-8")
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = lines[node.lineno - 1].strip()
            doc = (ast.get_docstring(node) or "").partition("\n\n")[0]
            about = f"{module.replace('.', ' ')} {node.name}\n{first}\n{doc}".strip()
            yield about, "\n".join(lines[node.lineno - 1 : node.end_lineno])


def _spread(pieces: Sequence[Piece], wanted: int) -> list[Piece]:
    """Return `wanted` of the pieces, evenly spread over all."""
    return [pieces[i * len(pieces) // wanted] for i in range(wanted)]
