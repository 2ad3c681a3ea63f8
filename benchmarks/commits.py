"""Commits: a repository made of real files, that changes as a benchmark wants."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


class Source:
    """A Git repository made of the files of a folder, whose every commit moves them.

    The path is part of what is encoded, so that each build has everything to do.
    """

    def __init__(self, files: Path, folder: Path) -> None:
        self.folder = folder
        self.number = 0
        self.changes = 0
        shutil.copytree(files, folder / self.top, ignore=_ignore)
        self._git("init", "--quiet", "--initial-branch=main")
        self._commit()

    @property
    def top(self) -> str:
        """The folder that holds all files in this commit."""
        return f"v{self.number}"

    def move(self) -> None:
        """Commit the same files below another folder."""
        before = self.top
        self.number += 1
        self._git("mv", before, self.top)
        self._commit()

    def change(self, files: int) -> None:
        """Commit one more function in each of some files of Python."""
        self.changes += 1
        for path in sorted((self.folder / self.top).rglob("*.py"))[:files]:
            with path.open("a", encoding="utf-8") as file:
                file.write(f"\n\ndef added_{self.changes}():\n    return 1\n")
        self._commit()

    def _commit(self) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", f"Move to {self.top}")

    def _git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=faults", "-c", "user.email=faults@localhost"]
        subprocess.run(  # noqa: S603 - a list, no shell
            ["git", *identity, "-C", str(self.folder), *arguments],  # noqa: S607
            check=True,
            capture_output=True,
        )


def _ignore(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in ("__pycache__", ".git")}
