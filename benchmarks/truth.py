"""Truth: what Git itself holds, and queries made of it, without any code of ours.

So that a checker cannot be wrong together with what it checks, files are read by
`git show` and decoded here, by what the documentation says: no byte order mark, LF line
ends, UTF-8 or else Latin-1.
"""

from __future__ import annotations

import random
import re
import subprocess
from functools import lru_cache
from pathlib import Path

SAMPLED_FILES = 60  # Of a repository, that queries are made of.
LONG_LINE = 1000  # Characters from which a line of encoded data is left out.

_NAME = re.compile(r"^\s*(?:async )?(?:def|class|func|function|fn) +(\w{3,})", re.M)
_WORD = re.compile(r"[A-Za-z]{4,}")
_SENTENCE = re.compile(r"[A-Z][a-z]+(?: [a-z]+){2,9}")


class Truth:
    """The files of one repository by commit and path, as lists of lines.

    `source` is a work tree or a bare repository; a few hundred files stay in memory.
    """

    def __init__(self, source: Path) -> None:
        self.source = source
        self.lines = lru_cache(maxsize=500)(self._lines)

    def head(self) -> str:
        """Return the hash of the commit that HEAD names."""
        return self._git("rev-parse", "HEAD").decode().strip()

    def paths(self, revision: str) -> list[bytes]:
        """Return the paths of a commit, sorted."""
        listing = self._git("ls-tree", "-r", "-z", "--name-only", revision)
        return sorted(listing.split(b"\0")[:-1])

    def text(self, revision: str, path: bytes) -> str | None:
        """Return a file's text; None if the commit does not hold it."""
        try:
            return decode(self._git("show", b"%s:%s" % (revision.encode(), path)))
        except subprocess.CalledProcessError:
            return None

    def _lines(self, revision: str, path: bytes) -> list[str] | None:
        text = self.text(revision, path)
        return None if text is None else text.removesuffix("\n").split("\n")

    def _git(self, *arguments: str | bytes) -> bytes:
        command = ["git", "-c", "safe.directory=*", "-C", str(self.source)]
        return subprocess.run(  # noqa: S603 - a list, no shell
            [*command, *arguments], check=True, capture_output=True
        ).stdout


def decode(data: bytes) -> str:
    """Return the text of a blob: no byte order mark, LF line ends."""
    for codec in ("utf-8-sig", "latin-1"):
        try:
            text = data.decode(codec)
            break
        except UnicodeDecodeError:
            continue
    return text.replace("\r\n", "\n").replace("\r", "\n")


def make_queries(truth: Truth, count: int, seed: int) -> list[str]:
    """Return distinct queries of the files of HEAD: names, words, and sentences."""
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    revision = truth.head()
    paths = truth.paths(revision)
    chosen = chance.sample(paths, min(SAMPLED_FILES, len(paths)))
    text = "\n".join(truth.text(revision, path) or "" for path in chosen)
    found: list[str] = []
    kinds = [sorted({*kind.findall(text)}) for kind in (_NAME, _WORD, _SENTENCE)]
    names, words, sentences = (chance.sample(kind, len(kind)) for kind in kinds)
    while len(found) < count and (names or words or sentences):
        for kind in (names, sentences):
            found += [kind.pop()] if kind else []
        found += [" ".join(words[-3:])] if words else []
        del words[-3:]
    return [*dict.fromkeys(found)][:count]
