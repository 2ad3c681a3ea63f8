"""A build is published layer by layer, resumed where it stopped, never half read."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import DatabaseError
from django.utils import timezone

from indexer import (
    building,
    encoders,
    fetching,
    leases,
    lexical,
    progress,
    removal,
    services,
    vectors,
)
from indexer.errors import IndexingError, LeaseLost
from indexer.leases import MAX_ATTEMPTS, Lease, claim, renew
from indexer.models import Build, File, Index, Layer, Repository
from indexer.opened import open_build
from indexer.pipeline import store
from indexer.pipeline.build import Assembly
from indexer.pipeline.embedding import write_vector_layer
from indexer.pipeline.loading import ModelError
from indexer.pipeline.parsing import GrammarError
from indexer.pipeline.store import LayerError, WrittenLayer, read_manifest
from indexer.pipeline.vectors import VectorError
from indexer.places import folder_of, layer_folder, mirror_of
from tests.conftest import MakeRepository, build_all, run_git
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]

FILES: dict[str, str | bytes] = {
    "shop/money.py": '"""Money."""\n\n\ndef pay(x):\n    """Pay it."""\n    return x\n',
    "shop/cart.js": "export function addToCart(item) {\n  return item;\n}\n",
    "README.md": "# Shop\n\nHow to pay.\n",
    "logo.png": b"\x89PNG\x00\x00",
    "empty.py": "",
}


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository(FILES)


@pytest.fixture
def index(source: Path, encoder: WordEncoder) -> Index:
    return services.register(name="shop", source=str(source))


@pytest.fixture
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step ends after one layer, or one portion of its texts."""
    monkeypatch.setattr(vectors, "STEP_SECONDS", 0.0)


def test_a_build_covers_every_tree_entry_and_every_text(index: Index) -> None:
    build = build_all(index)

    ledger = {file.path: (file.mode, file.reason) for file in build.files.all()}
    assert build.status == "ready"
    assert ledger == {
        "README.md": ("section", ""),
        "empty.py": ("", "empty"),
        "logo.png": ("", "binary"),
        "shop/cart.js": ("symbol", ""),
        "shop/money.py": ("symbol", ""),
    }
    chunks = [
        (c.file.path, c.symbol, c.start_line, c.end_line) for c in build.chunks.all()
    ]
    assert chunks == [
        ("README.md", "Shop", 1, 3),
        ("shop/cart.js", "addToCart", 1, 3),
        ("shop/money.py", "", 1, 1),
        ("shop/money.py", "pay", 4, 6),
    ]
    # Three summaries, four purposes, four bodies.
    assert (build.vector_count, build.vectors_done) == (11, 11)
    assert sorted(build.layers.values_list("kind", "covered")) == [
        ("body", 4),
        ("lexical", 4),
        ("purpose", 4),
        ("summary", 3),
    ]


def test_a_nul_far_down_in_a_file_is_kept_out_of_the_rows(
    make_repository: MakeRepository, encoder: WordEncoder
) -> None:
    padding = "// words to fill a line\n" * 500
    files: dict[str, str | bytes] = {
        "a.js": padding + 'const o = {\n  "a\x00b": function () {},\n};\n',
        "b.py": '"""Doc."""\n'.replace("Doc", "word " * 2000 + "\x00"),
    }
    index = services.register(name="nul", source=str(make_repository(files)))

    build = build_all(index)

    rows = [*build.chunks.values_list("symbol"), *build.files.values_list("doc")]
    rows += build.files.values_list("defines")
    assert build.status == "ready"
    assert "\ufffd" in str(rows)
    assert "\\x00" not in str(rows)


def test_the_build_is_searched_as_soon_as_it_is_lexical(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)

    assert services.advance_build(build_id=build.pk)

    index.refresh_from_db()
    build.refresh_from_db()
    assert index.current_build == build
    assert (build.status, build.vectors_done) == ("running", 0)


@pytest.mark.usefixtures("short_steps")
def test_a_step_that_died_is_repeated_and_the_rest_is_kept(
    index: Index, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = services.request_build(index=index, enqueue=False)
    for _ in range(2):
        services.advance_build(build_id=build.pk)
    done = set(build.layers.values_list("kind", flat=True))

    def die(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(vectors, "write_vector_layer", die)
        with pytest.raises(KeyboardInterrupt):
            services.advance_build(build_id=build.pk)
    encoder.encoded.clear()
    finished = services.finish_build(build=build)

    assert done == {"lexical", "summary"}
    assert finished.status == "ready"
    assert Layer.objects.filter(build=build).count() == 4
    assert len(encoder.encoded) == 4  # Bodies: what had been encoded was cached.


def test_a_lexical_layer_without_its_row_is_written_again(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    left = layer_folder(build, "lexical", 0)
    left.mkdir(parents=True)
    (left / "half.npy").write_bytes(b"half")

    finished = services.finish_build(build=build)

    assert finished.status == "ready"
    assert not (left / "half.npy").exists()


def test_a_second_build_copies_the_vectors_of_equal_texts(
    index: Index, encoder: WordEncoder, source: Path
) -> None:
    build_all(index)
    (source / "shop/money.py").write_text("def refund(sum):\n    return -sum\n")
    run_git(source, "commit", "--all", "--quiet", "--message=Two")
    encoder.encoded.clear()

    second = build_all(index)

    assert second.status == "ready"
    assert len(encoder.encoded) == 3  # one summary, one purpose, one body
    assert second.vectors_reused == second.vector_count - 3


def test_only_one_build_of_an_index_is_active(index: Index) -> None:
    first = services.request_build(index=index, enqueue=False)

    assert services.request_build(index=index, enqueue=False) == first


def test_a_held_build_is_left_alone_until_its_lease_runs_out(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    assert claim(build, "one")

    assert not claim(build, "two")
    assert not services.advance_build(build_id=build.pk)
    Build.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert claim(build, "two")
    assert not renew(build, "one")
    build.refresh_from_db()
    assert build.attempts == 1


def test_a_build_whose_worker_keeps_dying_is_given_up(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    Build.objects.update(attempts=MAX_ATTEMPTS)

    finished = services.finish_build(build=build)

    assert finished.status == "failed"
    assert "died 5 times" in finished.failure


def test_a_cancelled_build_stops_and_the_one_before_it_stays(index: Index) -> None:
    first = build_all(index)
    second = services.request_build(index=index, enqueue=False)
    progress.cancel_build(build=second)

    assert not services.advance_build(build_id=second.pk)
    index.refresh_from_db()
    assert index.current_build == first


def test_a_build_cancelled_while_it_is_read_is_not_published(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build_all(index)
    second = services.request_build(index=index, enqueue=False)
    monkeypatch.setattr(
        lexical, "refuse_nothing", lambda results: progress.cancel_build(build=second)
    )

    assert not services.advance_build(build_id=second.pk)

    index.refresh_from_db()
    assert index.current_build == first
    assert not second.layers.exists()


def test_a_repository_removed_while_it_is_built_leaves_nothing_behind(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=build.pk)

    def remove_and_write(*args: Any) -> None:  # Any: passed on
        removal.remove_repository(repository=index.repository)
        write_vector_layer(*args)

    monkeypatch.setattr(vectors, "write_vector_layer", remove_and_write)

    assert not services.advance_build(build_id=build.pk)
    assert not folder_of(build).exists()


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_a_repository_removed_while_it_is_fetched_leaves_nothing_behind(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = services.request_build(index=index, enqueue=False)
    mirror = mirror_of(index.repository)
    fetch = fetching.fetch_revision

    def remove_and_fetch(*args: Any) -> str:  # Any: passed on
        revision = fetch(*args)
        aside = mirror.with_name("fetched")
        mirror.rename(aside)
        removal.remove_repository(repository=index.repository)
        aside.rename(mirror)
        return revision

    monkeypatch.setattr(lexical, "fetch_revision", remove_and_fetch)

    assert not services.advance_build(build_id=build.pk)
    assert not mirror.exists()


def test_a_build_whose_process_is_gone_is_taken_over_at_once(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    ended = subprocess.Popen(["true"])  # noqa: S607 - a fixed command
    ended.wait()
    place = Lease(build).owner.partition(":")[0]

    Build.objects.update(lease_owner=f"elsewhere:{ended.pid}:1")
    elsewhere = claim(build, "next")
    Build.objects.update(lease_owner=f"{place}:{os.getpid()}:1")
    alive = claim(build, "next")
    Build.objects.update(lease_owner=f"{place}:{ended.pid}:1")
    gone = claim(build, "next")

    build.refresh_from_db()
    assert (elsewhere, alive, gone) == ("", "", "dead")
    assert (build.lease_owner, build.attempts) == ("next", 1)


def test_a_lease_that_was_lost_stops_the_work(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    with Lease(build) as lease:
        lease._lost.set()

        with pytest.raises(LeaseLost):
            building.advance(build, lease)


def test_a_lease_that_cannot_be_renewed_is_lost(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(build_id: int, owner: str) -> bool:
        raise DatabaseError("locked")

    monkeypatch.setattr(leases, "HEARTBEAT_SECONDS", 0.0)
    monkeypatch.setattr(leases, "LEASE", timedelta(0))
    monkeypatch.setattr(leases, "renew", fail)
    monkeypatch.setattr(leases, "connection", Mock())
    lease = Lease(services.request_build(index=index, enqueue=False))

    lease._renew_often()

    with pytest.raises(LeaseLost):
        lease.check()


def test_a_heartbeat_that_is_missed_is_made_up_for(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew = Mock(side_effect=[True, DatabaseError("locked"), True, False])
    monkeypatch.setattr(leases, "HEARTBEAT_SECONDS", 0.0)
    monkeypatch.setattr(leases, "renew", renew)
    monkeypatch.setattr(leases, "connection", Mock())
    lease = Lease(services.request_build(index=index, enqueue=False))

    lease._renew_often()  # To the end: someone else has it by then.

    assert renew.call_count == 4


def test_an_unfinished_build_is_found_after_everything_was_killed(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    claim(build, "dead")

    assert services.resume_builds() == 0
    assert services.resume_builds(everything=True) == 1
    assert services.finish_build(build=build).status == "ready"


def test_a_queued_build_that_no_worker_heard_of_is_found_again_once(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[int] = []
    monkeypatch.setattr(services, "_enqueue", woken.append)
    build = services.request_build(index=index, enqueue=False)
    Build.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    assert services.resume_builds() == 1
    assert services.resume_builds() == 0
    assert woken == [build.pk]


def test_a_damaged_layer_does_not_pass_as_complete(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    for _ in range(2):
        services.advance_build(build_id=build.pk)
    path = layer_folder(build, "body", 0) / "vectors.faiss"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)

    finished = services.finish_build(build=build)

    assert finished.status == "failed"
    assert finished.failure == ("body-0 is damaged (vectors.faiss): index it again")


def test_removing_a_repository_frees_its_space(index: Index, data_dir: Path) -> None:
    build_all(index)

    removal.remove_repository(repository=index.repository)

    assert not File.objects.exists()
    left = [path for path in data_dir.rglob("*") if path.is_file()]
    assert [path for path in left if path.parent != data_dir / "cache"] == []


def test_without_a_model_the_build_is_lexical_and_says_so(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        encoders,
        "encoder_of",
        lambda *build: (None, "no embedding model is configured"),
    )
    index = services.register(name="shop", source=str(source))

    build = build_all(index)

    assert build.status == "ready"
    assert build.note == (
        "No vectors: no embedding model is configured. Searches are lexical only."
    )


# Each of these ends in a sentence that says what to do.


def test_a_repository_without_commits_says_what_to_do(
    tmp_path: Path, encoder: WordEncoder
) -> None:
    run_git(tmp_path, "init", "--quiet")

    build = build_all(services.register(name="new", source=str(tmp_path)))

    assert build.status == "failed"
    assert "no commit" in build.failure


def test_a_repository_without_code_says_what_it_holds(
    make_repository: MakeRepository, encoder: WordEncoder
) -> None:
    source = make_repository({"logo.png": b"\x89PNG\x00", "empty.txt": ""})

    build = build_all(services.register(name="bare", source=str(source)))

    assert build.failure == (
        "Nothing to search: none of its 2 files holds code or text "
        "(1 binary, 1 empty). Check the branch, or remove the repository."
    )


def test_a_folder_that_became_a_link_is_refused(
    tmp_path: Path, encoder: WordEncoder
) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    index = services.register(name="linked", source=str(folder))
    folder.rmdir()
    folder.symlink_to("/etc")

    build = build_all(index)

    assert build.status == "failed"
    assert "now reached through a link" in build.failure


def test_a_folder_that_is_gone_says_so(tmp_path: Path, encoder: WordEncoder) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    index = services.register(name="gone", source=str(folder))
    shutil.rmtree(folder)

    build = build_all(index)

    assert build.status == "failed"
    assert str(folder) in build.failure


def test_an_unreachable_url_says_so_without_its_password(encoder: WordEncoder) -> None:
    index = services.register(
        name="far", source="https://user:secret@localhost:9/far.git"
    )

    build = build_all(index)

    assert build.status == "failed"
    assert "localhost" in build.failure
    assert "secret" not in build.failure


def test_a_full_disk_is_a_sentence(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Assembly, "write", full)

    build = build_all(index)

    assert build.failure.startswith(
        "The disk ran full while it was writing the lexical layer and its texts; "
    )


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("self_test", GrammarError("The tsx grammar is missing.")),
        ("encode_texts", ModelError("The model gave no number.")),
        ("write_vector_layer", VectorError("It could not be written.")),
    ],
)
def test_what_the_pipeline_says_ends_the_build_with_its_sentence(
    index: Index, monkeypatch: pytest.MonkeyPatch, step: str, error: Exception
) -> None:
    def refuse(*args: object) -> None:
        raise error

    module = lexical if step == "self_test" else vectors
    monkeypatch.setattr(module, step, refuse)

    build = build_all(index)

    assert (build.status, build.failure) == ("failed", str(error))


def test_a_step_with_a_bug_in_it_is_given_up_in_the_end(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(lexical, "self_test", fail)
    build = services.request_build(index=index, enqueue=False)
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(ZeroDivisionError):
            services.advance_build(build_id=build.pk)

    assert services.finish_build(build=build).failure.startswith(
        "The worker died 5 times while it was reading files (0 of 5)."
    )


def test_two_sources_cannot_share_a_name(index: Index) -> None:
    with pytest.raises(IndexingError, match="The name shop is taken"):
        services.register(name="shop", source="/elsewhere")


def test_a_known_repository_does_not_change_its_branch_without_a_word(
    index: Index, source: Path
) -> None:
    with pytest.raises(IndexingError, match="registered with its default branch"):
        services.register(name="shop", source=str(source), branch="next")

    assert services.register(name="shop", source=str(source)) == index


@pytest.mark.parametrize("name", ["a/b", "", "-x", "x" * 101])
def test_a_name_that_cannot_be_part_of_an_address_is_refused(name: str) -> None:
    with pytest.raises(IndexingError, match="letters, digits|blank|100"):
        services.register(name=name, source="/srv/code")

    assert not Repository.objects.exists()


def test_a_branch_can_be_chosen(source: Path, encoder: WordEncoder) -> None:
    run_git(source, "checkout", "--quiet", "-b", "next")
    (source / "next.py").write_text("def upcoming():\n    pass\n")
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=Next")
    run_git(source, "checkout", "--quiet", "main")
    index = services.register(name="shop", source=str(source), branch="next")

    build = build_all(index)

    assert build.chunks.filter(symbol="upcoming").exists()


def test_a_resumed_build_stays_at_its_revision(index: Index, source: Path) -> None:
    build = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=build.pk)
    build.refresh_from_db()
    revision = build.revision
    (source / "later.py").write_text("def later():\n    pass\n")
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=Later")

    finished = services.finish_build(build=build)

    assert finished.revision == revision


def test_a_layer_of_another_format_is_refused(index: Index) -> None:
    build = build_all(index)
    folder = layer_folder(build, "lexical", 0)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 9'))
    with pytest.raises(LayerError, match="has format 9, this version reads 1"):
        read_manifest(folder)


def test_a_build_that_an_earlier_version_began_ends_with_a_sentence(
    index: Index,
) -> None:
    build = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=build.pk)
    shutil.rmtree(layer_folder(build, "lexical", 0) / "catalogue")

    ended = services.finish_build(build=build)

    assert ended.status == "failed"
    assert ended.failure == (
        "lexical-0 is of an earlier version; index the repository again"
    )
    assert build_all(index).status == "ready"


def test_a_search_just_before_a_layer_is_out_does_not_hide_it(
    index: Index, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = store.written_layer

    def search_and_write(
        folder: Path, fill: Callable[[Path], None]
    ) -> AbstractContextManager[WrittenLayer]:
        if not folder.name.startswith("lexical"):
            open_build(Build.objects.get(), encoder.fingerprint)
        return write(folder, fill)

    monkeypatch.setattr(progress, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(store, "written_layer", search_and_write)

    build = build_all(index)

    covered = open_build(build, encoder.fingerprint).covered
    assert covered == {"summary": 3, "purpose": 4, "body": 4}
