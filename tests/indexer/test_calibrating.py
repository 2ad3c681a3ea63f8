"""A complete build asks itself what it holds, once, and always to the same end."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer import calibrating, encoders, progress, services
from indexer.errors import LeaseLost
from indexer.leases import Lease
from indexer.models import Build, Index
from indexer.opened import open_build
from indexer.pipeline.calibration import Calibration, from_json
from indexer.seeding import known_vectors
from tests.conftest import MakeRepository, build_all
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]

THINGS = ["invoice", "order", "basket", "voucher", "client", "parcel", "bill", "refund"]
DEEDS = ["open", "close", "print", "count", "check", "store", "fetch", "split"]


def shop(count: int) -> str:
    """Return a module of documented functions that share their words."""
    deeds = [(deed, thing) for deed in DEEDS for thing in THINGS][:count]
    return "\n\n".join(
        f'def {deed}_{thing}(x):\n    """{deed.title()} one {thing} of a shop."""\n'
        f"    return {thing}.{deed}(x)\n"
        for deed, thing in deeds
    )


@pytest.fixture
def index(make_repository: MakeRepository, encoder: WordEncoder) -> Index:
    source = make_repository({"shop.py": shop(60)})
    return services.register(name="shop", source=str(source))


def test_a_complete_build_knows_what_present_and_absent_queries_score(
    index: Index,
) -> None:
    build = build_all(index)

    found = from_json(build.calibration)
    assert found is not None
    assert found.cosine is not None
    assert found.words is not None
    assert (build.status, found.present) == ("ready", 60)
    assert found.absent > 250
    assert found.cosine.absent < found.cosine.present
    assert found.words.absent < found.words.present
    assert found.false_flags == 0.0
    assert found.flagged is not None
    assert found.flagged > 0.9


def test_two_builds_of_one_content_are_calibrated_alike(index: Index) -> None:
    assert build_all(index).calibration == build_all(index).calibration


def test_a_build_with_few_documented_symbols_is_not_calibrated(
    make_repository: MakeRepository, encoder: WordEncoder
) -> None:
    source = make_repository({"shop.py": shop(49)})

    build = build_all(services.register(name="small", source=str(source)))

    found = from_json(build.calibration)
    assert found is not None
    assert (found.present, found.cosine) == (49, None)
    assert build.status == "ready"


def test_a_calibration_that_died_is_made_again(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = services.request_build(index=index, enqueue=False)

    def die(*args: object) -> Calibration:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(calibrating, "measure", die)
        with pytest.raises(KeyboardInterrupt):
            services.finish_build(build=build)
    build.refresh_from_db()
    assert (build.status, build.calibration) == ("running", None)
    assert build.vectors_done == build.vector_count

    finished = services.finish_build(build=build)

    assert finished.status == "ready"
    assert finished.calibration == build_all(index).calibration


def test_a_cancelled_build_stops_calibrating(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = build_all(index)
    Build.objects.filter(pk=build.pk).update(status="running", calibration=None)

    with Lease(build) as lease:
        progress.cancel_build(build=build)
        encoder = WordEncoder()
        known = known_vectors(encoder, lease)
        lease._lost.set()
        with pytest.raises(LeaseLost):
            calibrating.calibrate_build(build, lease, encoder, known)

    build.refresh_from_db()
    assert build.calibration is None


def test_without_a_model_nothing_is_calibrated(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        encoders, "encoder_of", lambda *build: (None, "none is configured")
    )

    build = build_all(index)

    assert (build.status, build.calibration) == ("ready", None)


def test_a_sentence_is_held_out_with_whatever_repeats_it_in_its_file(
    make_repository: MakeRepository, encoder: WordEncoder, tmp_path: Path
) -> None:
    code = (
        "def a():\n    # pay the invoice now\n    return 1\n\n\n"
        "def b():\n    # pay the invoice now\n    return 2\n\n\n"
        "def c():\n    # pay the bill\n    return 3\n"
    )
    files: dict[str, str | bytes] = {"one.py": code, "two.py": code + "\n# other\n"}
    build = build_all(
        services.register(name="twice", source=str(make_repository(files)))
    )
    local = open_build(build, build.fingerprint)
    first = [
        ordinal
        for ordinal in range(local.chunk_count)
        if local.lexical.catalogue.symbols[ordinal] in ("a", "b")
    ]

    held = calibrating.repeated_in(local, first[0], "pay the invoice now")

    assert held == first[:2]
