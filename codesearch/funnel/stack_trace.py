"""Stack traces: from pasted text to frames, and to the words of what went wrong.

Read are those of Python, Java and its kin, JavaScript, Go, Rust, C# and gdb. A one-line
input has taken the line ends away, so frames are found wherever they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexer.pipeline.terms import names, tokenize

MOST_READ = 20_000  # Characters.
MOST_FRAMES = 50
WORDS = 30  # Of the message; what follows is data.

# No pattern has two repeats side by side that match the same: time is linear in a line.
_PYTHON = re.compile(r'File "([^"\n]{1,500})", line (\d{1,7})(?:, in ([\w.<>]+))?')
_NAMED = re.compile(r"[\w.<>]+")
_OTHERS = (
    re.compile(
        r"\bat (?P<name>[\w.$<>/]{1,300})"
        r"\((?P<path>[\w$.-]{1,200}\.(?:java|kt|scala|groovy)):(?P<line>\d{1,7})\)"
    ),
    re.compile(
        r"\bat (?P<name>[^\s(]{1,300})\([^)\n]{0,500}\) in "
        r"(?P<path>(?:[A-Za-z]:)?[^:\n]{1,300}):line (?P<line>\d{1,7})"
    ),
    re.compile(
        r"\bat (?:async )?(?:new )?(?:(?P<name>[\w.$<>]{1,300})[^(\n]{0,60} \()?"
        r"(?:file://)?(?P<path>[^\s():]{1,500}\.\w{1,5}):(?P<line>\d{1,7}):\d{1,7}"
    ),
    re.compile(
        r"#\d{1,4}\s{1,4}(?:0x[0-9a-f]{1,16} in )?(?P<name>[\w:~<>.$]{1,300}) ?"
        r"\([^\n]{0,500}?\) at (?P<path>[^\s:]{1,500}):(?P<line>\d{1,7})"
    ),
    re.compile(
        r"(?P<path>[^\s:]{1,500}\.go):(?P<line>\d{1,7}) \+0x[0-9a-f]{1,16}(?P<name>)"
    ),
)
_RAISED = re.compile(
    r"\b[A-Za-z_][\w.]{0,200}(?:Error|Exception|Warning|Interrupt|Exit|DoesNotExist)\b"
    r"(?::[^\n]{0,500})?"
)
_CAUSE = re.compile(
    r"(?:Caused by: |panic: |panicked at [^\s:]{1,500}:\d{1,7}:\d{1,7}:\s)"
    r"([^\n]{1,500}?)(?=\s+at |\s+goroutine |\s+stack backtrace|\n|$)"
)
_NOISE = re.compile(
    r"Traceback \(most recent call last\):?|Exception in thread \"[^\"\n]{0,100}\"|"
    r"Unhandled exception[.:]?|Uncaught |panicked at|stack backtrace:?|"
    r"goroutine \d+ \[\w+\]:"
)
_SIGNS = frozenset(("AND", "OR", "NOT"))


@dataclass(frozen=True, slots=True)
class Frame:
    """One call: its path, with `/` between steps, its line from 1, its name or ""."""

    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class StackTrace:
    """The frames, newest first, and what was raised: as printed, and as a query."""

    frames: tuple[Frame, ...]
    query: str
    raised: str = ""


def read_stack(text: str) -> StackTrace | None:
    """Return the stack trace that a text is, or None if there is no frame in it."""
    text = text[:MOST_READ]
    if found := list(_PYTHON.finditer(text)):
        frames = [
            Frame(one[1].replace("\\", "/"), int(one[2]), one[3] or "")
            for one in reversed(found)
        ]
        rest = _RAISED.findall(text[found[-1].end() :])
        error = rest[-1] if rest else _last_line(text[found[-1].end() :])
        return _stack(frames, error)
    for pattern in _OTHERS:
        if found := list(pattern.finditer(text)):
            frames = [_frame(one) for one in found]
            causes = _CAUSE.findall(text)
            error = causes[-1] if causes else _last_line(text[: found[0].start()])
            return _stack(frames, error)
    return None


def shorten_stack(stack: StackTrace, limit: int) -> str:
    """Return a text of up to `limit` bytes that is read as the same stack trace.

    The oldest frames are left out where it would be longer.
    """
    text = f" {stack.raised}".rstrip()[: limit // 2]
    for frame in stack.frames:
        named = f", in {frame.name}" if _NAMED.fullmatch(frame.name) else ""
        longer = f'File "{frame.path}", line {frame.line}{named} {text}'
        if len(longer.encode()) > limit:
            break
        text = longer
    return text.strip()


def _stack(frames: list[Frame], error: str) -> StackTrace:
    """Return the trace; without any words for what was raised, its first function."""
    known = [one for one in names(error) if tokenize(one)][:WORDS]
    words = [one.lower() if one in _SIGNS else one for one in known]
    query = " ".join(words) or frames[0].name or frames[0].path.rpartition("/")[2]
    return StackTrace(tuple(dict.fromkeys(frames))[:MOST_FRAMES], query, error.strip())


def _frame(found: re.Match[str]) -> Frame:
    name, path = found["name"] or "", found["path"].replace("\\", "/")
    if path.endswith((".java", ".kt", ".scala", ".groovy")):
        package = name.rpartition("/")[2].split(".")[:-2]
        path = "/".join([*package, path])
    return Frame(path.removeprefix("./"), int(found["line"]), name)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in _NOISE.sub(" ", text).split("\n")]
    return next((line for line in reversed(lines) if line), "")
