"""Faults that were put in on purpose are named: by a trace, a verification or a ledger.

Each test has a real build, of a deterministic encoder, that is damaged or in a hard
place. Damage to files that the row of the layer does not know of is found by its
checksums; damage from before it was published, by comparing layers.
"""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from codesearch import services
from codesearch.errors import NothingIndexed, UnreadableQuery
from codesearch.payloads import Payload
from indexer import encoders, vectors
from indexer import services as indexing
from indexer.access import ANYONE, COMMAND_LINE
from indexer.ledger import LedgerFilter, read_ledger
from indexer.models import Build, Layer
from indexer.pipeline.store import hash_files
from indexer.pipeline.vectors import load_vectors, save_vectors
from indexer.places import layer_folder
from indexer.verification import verify_build
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

COPY = "def tally(rows):\n    rows = list(rows)\n    return len(rows)\n"
MANY = 230  # More than a leg lists.
LONG = "\n".join(f"        'line{n} x'," for n in range(100))
FILES: dict[str, str | bytes] = {
    "shop/money.py": 'def price(x):\n    """Say the price."""\n    return x\n\n\n\n',
    "shop/tally.py": COPY,
    "vendor/tally.py": COPY,
    "shop/__init__.py": "from .report import Report\n",
    "shop/report.py": "class Report:\n    def mail(self):\n        return post(self)\n",
    "shop/migrations/0001_initial.py": "class Migration:\n    operations = []\n",
    "shop/long.py": f"def stretch():\n    return [\n{LONG}\n    ]\n",
    "locale/de.po": 'msgid "money"\nmsgstr "Geld"\n',
    "notes.txt": "Invoices are sent at night.\n",
    "logo.png": b"\x89PNG\x00\x00",
    "big.txt": "word \n" * 200_000,
    "model.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n",
    "app.min.js": "".join(f"var a{n}=1;" for n in range(900)),
    "empty.py": "",
    ".env": "TOKEN=abc\n",
    "shop/logo.js": f"var x = '{'QUJD' * 600}';\nfunction draw() {{ return x; }}\n",
}

Make = Callable[..., Build]


@pytest.fixture
def index(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Make:
    """Indexes files as a repository of a name."""

    def make(files: dict[str, str | bytes], name: str = "shop") -> Build:
        source = make_repository(files)
        found = indexing.register(name=name, source=str(source))
        build = indexing.request_build(index=found, enqueue=False)
        return indexing.finish_build(build=build)

    return make


@pytest.fixture
def shop(index: Make) -> Build:
    return index(FILES)


def trace(query: str, target: str) -> Payload:
    return services.trace(viewer=ANYONE, query=query, targets=[target])


def followed(query: str, target: str) -> Payload:
    found: Payload = trace(query, target)["targets"][0]
    return found


def reason(query: str, target: str) -> str:
    death = followed(query, target)["death"]
    return str(death["reason"])


def publish_again(build: Build, kind: str) -> None:
    """Let the row of a layer say that its files are as they are now."""
    files = hash_files(layer_folder(build, kind, 0))
    Layer.objects.filter(build=build, kind=kind).update(files=files)


def test_a_sound_build_has_no_fault(shop: Build) -> None:
    printed = StringIO()

    call_command("verify", stdout=printed)

    assert verify_build(shop) == []
    assert printed.getvalue() == f"shop (symbol) at {shop.revision[:12]}: sound\n"


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4])


@pytest.mark.parametrize(
    ("layer", "file", "damage"),
    [
        ("body-0", "vectors.faiss", flip_a_bit),
        ("lexical-0", "postings/chunks.npy", cut_short),
        ("purpose-0", "numbers.npy", Path.unlink),
    ],
)
def test_files_that_were_damaged_are_named(
    shop: Build, data_dir: Path, layer: str, file: str, damage: Callable[[Path], None]
) -> None:
    damage(data_dir / "builds" / str(shop.pk) / layer / file)
    sentence = f"{layer} is damaged ({file}): index it again."

    with pytest.raises(NothingIndexed) as caught:
        trace("price", "price")

    fault = f"shop: build {shop.pk} is damaged: {layer}/{file} is missing or altered."
    assert str(caught.value).startswith(fault)
    assert verify_build(shop) == [sentence]
    with pytest.raises(CommandError, match="1 of 1 are damaged: index again"):
        call_command("verify", stdout=StringIO())


def test_only_an_index_that_exists_can_be_verified(shop: Build) -> None:
    with pytest.raises(CommandError, match="There is no index of attic."):
        call_command("verify", "shop", "attic")


def test_vectors_that_are_fewer_than_their_ordinals_are_named(shop: Build) -> None:
    path = layer_folder(shop, "purpose", 0) / "vectors.faiss"
    save_vectors(path, np.array(load_vectors(path).rows[:-1]))
    publish_again(shop, "purpose")

    assert verify_build(shop) == [
        "purpose-0 has not as many vectors as it says of what they are."
    ]


def test_swapped_ordinals_are_named_though_their_checksums_are_right(
    shop: Build,
) -> None:
    path = layer_folder(shop, "body", 0) / "ordinals.npy"
    ordinals = np.load(path)
    ordinals[[0, -1]] = ordinals[[-1, 0]]
    np.save(path, ordinals)
    publish_again(shop, "body")

    (fault,) = verify_build(shop)

    assert fault == (
        f"body-0 has vectors of other texts than lexical-0: 2 of {shop.chunk_count}, "
        "the first of ordinal 0."
    )


def test_a_dropped_vector_is_named_though_the_checksums_are_right(shop: Build) -> None:
    folder = layer_folder(shop, "body", 0)
    rows = np.array(load_vectors(folder / "vectors.faiss").rows)
    save_vectors(folder / "vectors.faiss", rows[:-1])
    for name in ("ordinals", "numbers", "digests"):
        np.save(folder / f"{name}.npy", np.load(folder / f"{name}.npy")[:-1])
    publish_again(shop, "body")

    last = shop.chunk_count - 1
    assert verify_build(shop) == [
        f"body-0 covers other texts than its {shop.chunk_count}: 1 too few or too "
        f"many, the first of ordinal {last}."
    ]


def test_a_dropped_posting_is_named_though_the_checksums_are_right(
    shop: Build,
) -> None:
    folder = layer_folder(shop, "lexical", 0) / "postings"
    frequencies = np.load(folder / "frequencies.npy")
    frequencies[0] -= 1
    np.save(folder / "frequencies.npy", frequencies)
    publish_again(shop, "lexical")

    assert verify_build(shop) == [
        "lexical-0: the terms in postings are not as many as their lengths say, of 1 "
        "lists."
    ]


def test_a_layer_of_another_model_within_a_build_is_named(shop: Build) -> None:
    manifest = layer_folder(shop, "body", 0) / "manifest.json"
    manifest.write_text(manifest.read_text().replace("word-encoder-64", "another"))
    publish_again(shop, "body")

    assert verify_build(shop) == ["body-0 is of another model than its build."]


def test_a_layer_that_was_never_published_shows_in_coverage_and_verification(
    shop: Build,
) -> None:
    Layer.objects.filter(build=shop, kind="body").delete()

    found = trace("price", "price")

    assert found["builds"][0]["coverage"]["body"] == 0.0
    assert verify_build(shop) == [
        f"{shop.chunk_count} of {shop.chunk_count} body texts have no vector, and the "
        "build is called complete."
    ]


def test_rows_that_the_database_lost_are_named(shop: Build) -> None:
    shop.chunks.get(ordinal=0).delete()

    assert verify_build(shop) == [
        f"lexical-0 has {shop.chunk_count} chunks, the database {shop.chunk_count - 1}."
    ]


def test_a_stale_build_is_named(shop: Build, encoder: WordEncoder) -> None:
    encoder.fingerprint = "another"

    found = followed("zebra", "price")

    assert found["death"]["reason"] == "leg_missing:purpose"
    assert "its model has changed since shop was indexed" in found["death"]["detail"]


def test_a_model_that_cannot_be_loaded_is_named(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoders, "encoder_of", lambda *build: (None, "it is gone"))

    found = followed("zebra", "price")

    assert found["death"]["reason"] == "leg_missing:purpose"
    assert found["death"]["detail"].endswith("did not run: it is gone.")


def test_a_cross_encoder_that_fails_is_named(
    shop: Build, settings: Settings, tmp_path: Path
) -> None:
    settings.CROSS_ENCODER = str(tmp_path / "nowhere")

    found = trace("price", "price")["rerank"]

    assert found["kind"] == "structural"
    assert found["failure"].endswith("cannot be loaded: there is no such folder")


def test_an_index_that_cannot_be_read_is_named_beside_the_others(
    shop: Build, index: Make
) -> None:
    attic = index({"a.py": "def attic():\n    return 1\n"}, "attic")
    flip_a_bit(layer_folder(attic, "lexical", 0) / "file_of.npy")

    assert trace("price", "price")["left_out"] == [
        f"attic: build {attic.pk} is damaged: lexical-0/file_of.npy is missing or "
        "altered. Nothing is searched of it; a new one is being made."
    ]


def test_a_wrong_filter_is_refused_with_its_place(shop: Build) -> None:
    with pytest.raises(UnreadableQuery, match="“kind:clss” at character 7: no kind"):
        trace("price kind:clss", "price")


def test_a_filter_that_leaves_the_target_out_is_named(shop: Build) -> None:
    assert reason("price kind:class", "price") == "filter:kind"


def test_a_filter_that_leaves_everything_out_is_named(shop: Build) -> None:
    found = trace("price path:nowhere", "price")

    assert found["in_scope"] == 0
    assert found["targets"][0]["death"]["reason"] == "filter:path"
    assert found["without"][0]["filters"] == [0]
    assert found["without"][0]["hits"] > 0


def test_a_tie_at_the_cut_of_a_leg_is_named(index: Make) -> None:
    many = "".join(f"def send():\n    # {n}\n    return\n\n\n" for n in range(MANY))
    rest = "".join(f"def f{n}():\n    send(send, send)\n\n\n" for n in range(MANY))
    index({"a.py": rest, "b.py": many})

    found = followed("send", f"b.py:{5 * MANY - 4}")

    leg = found["legs"]["symbol"]
    assert (leg["rank"], leg["ordinal"]) == (1, MANY)
    assert (leg["tie_size"], leg["in_leg"], leg["margin"]) == (MANY, False, 0.0)
    assert (
        "symbol rank 1, but the cut is inside its tie of 230"
        in (found["death"]["detail"])
    )


def test_a_tie_at_the_cut_of_the_pool_is_named(
    index: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoders, "encoder_of", lambda *build: (None, "it is gone"))
    words = " ".join(f"word{n}" for n in range(60))
    named = "".join(f"def send():\n    {n}, '{words}'\n\n\n" for n in range(MANY))
    first = "def send():\n    send, send, send, send, send, send, send\n\n\n"
    others = "".join(f"def f{n}():\n    send(send, send)\n\n\n" for n in range(MANY))
    index({"a.py": first + named, "b.py": others})

    found = trace("send", "f99")

    (seated,) = [h for h in found["hits"] if h["fused"]["ordinal"] == 200]
    target = found["targets"][0]
    assert seated["fused"]["score"] == target["fused"]["score"]
    assert (target["fused"]["ordinal"], target["fused"]["tie_size"]) == (201, 2)
    assert target["death"]["reason"] == "outvoted"
    assert "The cut is inside a tie of 2" in target["death"]["detail"]


def test_a_copy_names_the_first_of_its_content(shop: Build) -> None:
    first = f"shop@{shop.revision}:shop/tally.py#tally@0"

    assert reason("shop tally", "vendor/tally.py") == f"duplicate_of:{first}"


def test_a_stub_names_the_definition_that_it_hides(shop: Build) -> None:
    definition = f"shop@{shop.revision}:shop/report.py#Report@0"

    assert reason("report", "shop/__init__.py") == f"re_export_of:{definition}"


def test_a_symbol_that_was_renamed_is_not_in_the_revision(shop: Build) -> None:
    source = Path(shop.index.repository.source)
    money = source / "shop" / "money.py"
    money.write_text(money.read_text().replace("price", "cost"))
    run_git(source, "commit", "--quiet", "--all", "--message=Rename")
    build = indexing.request_build(index=shop.index, enqueue=False)
    indexing.finish_build(build=build)

    assert reason("price", "price") == "not_in_revision"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("logo.png", "binary"),
        ("big.txt", "too_large"),
        ("model.bin", "lfs_pointer"),
        ("app.min.js", "minified"),
        ("empty.py", "empty"),
        (".env", "secret"),
    ],
)
def test_a_file_that_was_skipped_says_why(shop: Build, path: str, why: str) -> None:
    ledger = read_ledger(COMMAND_LINE, "shop", LedgerFilter(path=path))

    assert reason("price", path) == f"skipped:{why}"
    assert ledger is not None
    assert [(file.path, file.reason) for file in ledger.files] == [(path, why)]


def test_a_link_is_not_followed(shop: Build) -> None:
    source = Path(shop.index.repository.source)
    (source / "link.py").symlink_to("shop/money.py")
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=Link")
    build = indexing.request_build(index=shop.index, enqueue=False)
    indexing.finish_build(build=build)

    assert reason("price", "link.py") == "skipped:symlink"


def test_lines_that_were_left_out_say_why(shop: Build) -> None:
    assert reason("draw", "shop/logo.js:1") == "partial:long_line"


def test_a_data_file_has_no_chunks_and_says_so(shop: Build) -> None:
    assert reason("money", "locale/de.po") == "data_file"


def test_a_name_within_a_file_of_one_thing_is_merged_into_it(shop: Build) -> None:
    whole = f"shop@{shop.revision}:shop/migrations/0001_initial.py#@0"

    assert reason("operations", "Migration") == f"merged_into:{whole}"


def test_a_blank_line_is_not_extracted(shop: Build) -> None:
    assert reason("price", "shop/money.py:5") == "not_extracted"


def test_a_word_that_occurs_nowhere_is_named(shop: Build) -> None:
    found = trace("NoSuchKey of the price", "shop/report.py")

    (missing,) = [word["word"] for word in found["words"] if not word["df"]]
    sentences = [row["sentence"] for row in found["closeness"]["evidence"]]
    assert missing == "NoSuchKey"
    assert any("“NoSuchKey” occurs nowhere" in sentence for sentence in sentences)


def test_a_word_that_is_almost_everywhere_weighs_next_to_nothing(index: Make) -> None:
    build = index({"a.py": "".join(f"def f{n}():\n    return\n\n" for n in range(50))})

    (term,) = trace("return", "f1")["terms"]

    assert term["df"] == build.chunk_count == 50
    assert term["idf"] < 0.01


def test_words_that_a_target_lacks_are_named(index: Make) -> None:
    many = {
        f"m{n}.py": f"def send{n}(report):\n    mail(report)\n" for n in range(MANY)
    }
    index({**many, "z.py": "def other():\n    return 1\n"})

    death = followed("report mail", "other")["death"]

    assert death["reason"] == "vocabulary_gap"
    assert "it lacks “report”, “mail”" in death["detail"]


def test_a_target_without_a_vector_yet_is_named(
    index: Make, make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "STEP_SECONDS", 0.0)
    files = {f"a/m{n}.py": f"def f{n}():\n    send(send)\n" for n in range(MANY)}
    source = make_repository({**files, "z.txt": f"send {LONG}\n"})
    found = indexing.register(name="shop", source=str(source))
    build = indexing.request_build(index=found, enqueue=False)
    while not build.layers.filter(kind="purpose").exists():
        indexing.advance_build(build_id=build.pk)

    death = followed("send", "z.txt")["death"]

    assert death["reason"] == "not_embedded"
    assert death["detail"].startswith("It has no body vector yet")


def test_a_text_that_was_split_names_the_part_that_has_the_score(shop: Build) -> None:
    part = followed("line99", "stretch")["legs"]["body"]["part"]
    ledger = read_ledger(COMMAND_LINE, "shop", LedgerFilter())

    assert part > 1
    assert ledger is not None
    assert ledger.counts["over_length"] == shop.over_length_count == 1
