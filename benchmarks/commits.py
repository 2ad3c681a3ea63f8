"""Commits: a repository made of real files, that changes as a benchmark wants."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


class Source:
    """A Git repository of the files of a folder, all below `top`."""

    def __init__(self, files: Path, folder: Path, top: str = "v0") -> None:
        self.folder = folder
        self.top = top
        self.moves = 0
        self.changes = 0
        shutil.copytree(files, folder / top, ignore=_ignore, symlinks=True)
        self._git("init", "--quiet", "--initial-branch=main")
        self._commit()
        # As what is hosted is packed, or whoever fetches would wait for it.
        self._git("gc", "--quiet")

    def move(self) -> None:
        """Commit the same files below another folder.

        The path is part of what is encoded, so that a build has everything to do.
        """
        before = self.top
        self.moves += 1
        self.top = f"v{self.moves}"
        self._git("mv", before, self.top)
        self._commit()

    def change(self, files: int) -> None:
        """Commit one more function in each of some files of Python, far apart."""
        self.changes += 1
        paths = sorted((self.folder / self.top).rglob("*.py"))
        for path in paths[:: max(1, len(paths) // files)][:files]:
            with path.open("a", encoding="utf-8") as file:
                file.write(f"\n\ndef added_{self.changes}():\n    return 1\n")
        self._commit()

    def _commit(self) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", f"{self.top}, {self.changes}")

    def _git(self, *arguments: str) -> None:
        options = ["-c", "user.name=faults", "-c", "user.email=faults@localhost"]
        options += ["-c", "gc.auto=0"]  # Or a commit would pack in the background.
        subprocess.run(  # noqa: S603 - a list, no shell
            ["git", *options, "-C", str(self.folder), *arguments],  # noqa: S607
            check=True,
            capture_output=True,
        )


def _ignore(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in ("__pycache__", ".git")}
