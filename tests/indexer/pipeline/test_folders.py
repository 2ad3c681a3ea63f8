"""A folder of a commit is listed as Git has it, whatever its names look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.pipeline.folders import list_folder
from indexer.pipeline.git import FOLDER, find_entry, snapshot_folder

NAMES = (":(top)x", "a*b", "b/c", "-d", "é", "l\nm")


@pytest.fixture
def mirror(tmp_path: Path) -> tuple[Path, str]:
    """A mirror of a folder of odd names, and its commit."""
    for name in NAMES:
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    target = tmp_path / "mirror.git"
    return target, snapshot_folder(tmp_path / "source", target)


def test_folders_come_first_then_files_by_their_bytes(
    mirror: tuple[Path, str],
) -> None:
    entries = list_folder(*mirror, b"")

    assert entries is not None
    assert [entry.path for entry in entries] == [
        b"b",
        b"-d",
        b":(top)x",
        b"a*b",
        b"l\nm",
        "é".encode(),
    ]
    assert entries[0].mode == FOLDER
    assert [entry.size for entry in entries[:3]] == [None, 2, 7]


def test_a_folder_below_holds_whole_paths(mirror: tuple[Path, str]) -> None:
    entries = list_folder(*mirror, b"b")

    assert entries is not None
    assert [entry.path for entry in entries] == [b"b/c"]


@pytest.mark.parametrize("path", [b"a*b", b"nothing", b"..", b"b/..", b"a\0b", b"*"])
def test_what_is_no_folder_is_none(mirror: tuple[Path, str], path: bytes) -> None:
    assert list_folder(*mirror, path) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_found_by_its_name_and_by_no_pattern(
    mirror: tuple[Path, str], name: str
) -> None:
    entry = find_entry(*mirror, name.encode())

    assert entry is not None
    assert entry.path == name.encode()
    assert find_entry(*mirror, b"a?b") is None
