"""Blobs are read by id, decoded on one ladder, and skipped with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.pipeline.blobs import (
    MAX_BLOB,
    BlobReader,
    decode,
    encoded_lines,
    skip_reason,
    split_lines,
)
from indexer.pipeline.git import head_revision, list_tree, snapshot_folder
from indexer.pipeline.git_command import GitError
from indexer.pipeline.types import SkipReason, Source, TreeEntry
from tests.conftest import MakeRepository

FILES = Path(__file__).parents[2] / "cases" / "symbols" / "files"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").write_bytes(b"a\n\0b")
    (folder / "b.py").write_bytes(b"")
    (folder / "c.py").write_bytes(b"x" * 300_000)
    snapshot_folder(folder, tmp_path / "mirror")
    return tmp_path / "mirror"


@pytest.fixture
def entries(mirror: Path) -> Iterator[list[TreeEntry]]:
    revision = (mirror / "refs" / "heads" / "main").read_text().strip()
    return iter([list_tree(mirror, revision)])


def test_blobs_come_back_byte_for_byte(
    mirror: Path, entries: Iterator[list[TreeEntry]]
) -> None:
    with BlobReader(mirror) as blobs:
        read = [blobs.read(entry.oid) for entry in next(entries)]

    assert read == [b"a\n\0b", b"", b"x" * 300_000]


def test_a_missing_blob_is_named_and_the_next_one_is_read(
    mirror: Path, entries: Iterator[list[TreeEntry]]
) -> None:
    with BlobReader(mirror) as blobs:
        with pytest.raises(GitError, match="missing"):
            blobs.read("0" * 40)

        assert blobs.read(next(entries)[0].oid) == b"a\n\0b"


@pytest.mark.parametrize("oid", ["HEAD", "main:a.py", "", "0" * 39, "\n" + "0" * 40])
def test_only_object_ids_are_sent(oid: str, mirror: Path) -> None:
    with BlobReader(mirror) as blobs, pytest.raises(GitError, match="not an object id"):
        blobs.read(oid)


def test_a_closed_reader_says_so(mirror: Path) -> None:
    with BlobReader(mirror) as blobs:
        pass

    with pytest.raises(GitError, match="closed"):
        blobs.read("0" * 40)


@pytest.mark.parametrize(
    ("mode", "size", "reason"),
    [
        ("100644", 10, None),
        ("100755", MAX_BLOB, None),
        ("100644", MAX_BLOB + 1, SkipReason.TOO_LARGE),
        ("100644", 0, SkipReason.EMPTY),
        ("120000", 10, SkipReason.SYMLINK),
        ("160000", None, SkipReason.SUBMODULE),
    ],
)
def test_an_entry_alone_tells_some_reasons(
    mode: str, size: int | None, reason: SkipReason | None
) -> None:
    assert skip_reason(TreeEntry(b"x", mode, "0" * 40, size)) is reason


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n", "utf-8"),
        ("x = 'é'\n".encode("utf-16"), "x = 'é'\n", "utf-16-le"),
        (b"\xfe\xff" + "é\n".encode("utf-16-be"), "é\n", "utf-16-be"),
        ("é\n".encode("utf-32"), "é\n", "utf-32-le"),
        ("é\n".encode(), "é\n", "utf-8"),
        (b"# coding: koi8-r\nx = '\xc1'\n", "# coding: koi8-r\nx = 'а'\n", "koi8-r"),
        (b"# coding: punycode\n\xe9", "# coding: punycode\né", "latin-1"),
        (b"# coding: nonsense\n\xe9", "# coding: nonsense\né", "latin-1"),
        (b"caf\xe9\n", "café\n", "latin-1"),
        (b"a\r\nb\rc\n", "a\nb\nc\n", "utf-8"),
    ],
)
def test_the_ladder_of_encodings(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == Source(text=text, encoding=encoding)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", SkipReason.EMPTY),
        (b" \n\t\n", SkipReason.EMPTY),
        (b"x\0y", SkipReason.BINARY),
        (b"\xff\xfe\x00", SkipReason.BINARY),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            SkipReason.LFS_POINTER,
        ),
        (b"\x01\x02\x03\xff" * 2000, SkipReason.UNDECODABLE),
        (b"function a(b){return b}" * 100, SkipReason.MINIFIED),
        (b"data = '" + b"aB3dEfGh1jKlMn0p" * 100 + b"'\n", SkipReason.ENCODED),
        (b"aB3dEfGh1jKlMn0p" * 4 + b"\n" + b"Q2xhc3NpYyBleGFt" * 4, SkipReason.ENCODED),
    ],
)
def test_what_is_skipped_has_its_reason(data: bytes, reason: SkipReason) -> None:
    assert decode(data) is reason


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("empty.py", "empty"),
        ("whitespace_only.js", "empty"),
        ("binary_with_ext.py", "binary"),
        ("bundle.min.js", "minified"),
    ],
)
def test_the_hard_files_are_skipped_with_the_expected_reason(
    name: str, reason: str
) -> None:
    assert decode((FILES / name).read_bytes()) == SkipReason(reason)


@pytest.mark.parametrize(
    "text",
    [
        "Prose in one line for each paragraph, as many people write it. " * 40,
        "# " + "-" * 76 + "\nx = 1\n",
        "这是一个很长的段落" * 300,
        "var blob = '" + "QUJD" * 40000 + "';\nfunction after_blob() { return 1; }\n",
    ],
)
def test_prose_rulers_and_files_around_a_blob_are_read(text: str) -> None:
    assert decode(text.encode()) == Source(text=text, encoding="utf-8")


def test_data_files_may_be_dense() -> None:
    data = b'{"a":1}' * 400

    assert decode(data) is SkipReason.MINIFIED
    assert decode(data, dense=True) == Source(text=data.decode(), encoding="utf-8")


def test_the_encoded_lines_of_a_file_are_found() -> None:
    blob = "QUJD" * 400
    text = f"a\nx = '{blob}'\ny = '{blob}'\nb\n"

    assert encoded_lines(text) == ((2, 3),)


def test_lines_end_at_lf_only() -> None:
    assert split_lines("a\x0cb\u2028c\x85d\n\ne") == ["a\x0cb\u2028c\x85d", "", "e"]
    assert split_lines("a\n") == ["a"]
    assert split_lines("") == []


def test_many_blobs_come_in_order_whole_or_their_heads(
    make_repository: MakeRepository,
) -> None:
    texts: dict[str, str | bytes] = {
        f"{n}.txt": f"{n} ".encode() * (1 + 40 * n) for n in range(300)
    }
    mirror = make_repository(texts) / ".git"
    entries = list_tree(mirror, head_revision(mirror))
    wanted = [(one.oid, 3 if n % 5 == 0 else None) for n, one in enumerate(entries)]

    with BlobReader(mirror) as blobs:
        found = list(blobs.read_many(wanted))

    assert found == [
        texts[one.path.decode()][:limit]
        for one, (_, limit) in zip(entries, wanted, strict=True)
    ]


def test_one_missing_blob_of_many_is_an_error(make_repository: MakeRepository) -> None:
    mirror = make_repository({"a.txt": "one", "b.txt": "two"}) / ".git"
    first, last = list_tree(mirror, head_revision(mirror))

    with BlobReader(mirror) as blobs:
        found = blobs.read_many([(first.oid, None), ("0" * 40, None), (last.oid, None)])
        assert next(found) == b"one"
        with pytest.raises(GitError, match="0000 is missing from the mirror"):
            next(found)
