"""Builds of several embedders in one search: legs of their own, and no mixture."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from codesearch import services
from codesearch.payloads import Payload
from indexer import encoders
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Profile
from indexer.pipeline.encoder import Embedder, Encoder
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder
from tests.small_models import save_sentence_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]

QUERY = "send the report"
CODE = 'def send_{name}(x):\n    """Send the {name} report."""\n    return x\n'
FINGERPRINTS = {"packaged": "1a2b3c4d5e6f7a8b", "other": "9f8e7d6c5b4a3f2e"}

Index = Callable[..., Build]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, WordEncoder]:
    """The models that can be loaded, by name: two."""
    found = {name: WordEncoder(digits) for name, digits in FINGERPRINTS.items()}

    def encoder_of(
        embedder: Embedder, fingerprint: str = ""
    ) -> tuple[Encoder | None, str]:
        encoder = found.get(embedder.model)
        return encoder, "" if encoder else f"{embedder.model} is gone"

    monkeypatch.setattr(encoders, "encoder_of", encoder_of)
    return found


@pytest.fixture
def index(make_repository: MakeRepository) -> Index:
    """Indexes a repository under a profile with the given embedder."""

    def make(name: str, **embedder: object) -> Build:
        Profile.objects.update_or_create(name=f"as-{name}", defaults=embedder)
        source = make_repository({f"{name}.py": CODE.format(name=name)})
        found = indexing.register(name=name, source=str(source), profile=f"as-{name}")
        build = indexing.request_build(index=found, enqueue=False)
        return indexing.finish_build(build=build)

    return make


def search(*repositories: str, query: str = QUERY) -> Payload:
    return services.search(viewer=ANYONE, query=query, repositories=repositories)


def legs_of(found: Payload, repository: str) -> set[str]:
    """Return the legs that hold hits of a repository."""
    return {
        name
        for hit in found["hits"]
        if hit["repository"] == repository
        for name, seen in hit["legs"].items()
        if seen
    }


def test_each_embedder_has_its_own_legs_named_by_its_fingerprint(
    models: dict[str, WordEncoder], index: Index
) -> None:
    index("attic")
    index("shop", model="other")

    found = search()

    first, second = (digits[:8] for digits in FINGERPRINTS.values())
    assert list(found["legs"]) == [
        f"purpose:{first}",
        f"body:{first}",
        f"purpose:{second}",
        f"body:{second}",
        "bm25",
        "symbol",
    ]
    assert legs_of(found, "attic") == {f"purpose:{first}", f"body:{first}", "bm25"}
    assert legs_of(found, "shop") == {f"purpose:{second}", f"body:{second}", "bm25"}
    assert set(found["config"]["weights"].values()) == {1.0}
    assert found["pool"]["guarantee"] == 200 // (2 * 6)
    assert found["rerank"]["note"] == (
        "by the lexical formula: not every purpose has a vector of one model"
    )
    assert [place["terms"][0]["value"] is None for place in found["places"]] == [
        False,
        False,
    ]


def test_one_embedder_keeps_the_plain_names(
    models: dict[str, WordEncoder], index: Index
) -> None:
    index("attic")
    index("shop")

    assert list(search()["legs"]) == ["purpose", "body", "bm25", "symbol"]


def test_each_model_encodes_the_query_once_and_only_where_it_is_searched(
    models: dict[str, WordEncoder], index: Index
) -> None:
    index("attic")
    index("shop", model="other")
    index("yard", model="other")

    search()
    search("attic")

    asked = {name: model.asked for name, model in models.items()}
    assert asked == {"packaged": [QUERY, QUERY], "other": [QUERY]}


def test_an_embedder_that_is_gone_is_named_and_the_others_go_on(
    models: dict[str, WordEncoder], index: Index
) -> None:
    index("attic")
    index("shop", model="other")
    del models["other"]

    found = search()

    lost = found["legs"]["purpose:9f8e7d6c"]
    assert (lost["ran"], lost["note"]) == (False, "other is gone")
    assert found["legs"]["purpose:1a2b3c4d"]["ran"] is True
    assert legs_of(found, "attic") == {"purpose:1a2b3c4d", "body:1a2b3c4d", "bm25"}
    assert legs_of(found, "shop") == {"bm25"}


def test_a_missing_leg_is_the_death_of_its_own_chunks_only(
    models: dict[str, WordEncoder], index: Index
) -> None:
    index("attic")
    index("shop", model="other")
    del models["other"]

    found = services.trace(
        viewer=ANYONE, query="zebra", targets=["send_attic", "send_shop"]
    )

    attic, shop = found["targets"]
    assert attic["death"] is None
    assert attic["legs"]["purpose:9f8e7d6c"] is None
    assert shop["death"]["reason"] == "leg_missing:purpose:9f8e7d6c"
    assert shop["death"]["detail"].endswith("did not run: other is gone.")


def test_builds_without_vectors_add_no_legs_beside_those_of_others(
    models: dict[str, WordEncoder], index: Index
) -> None:
    index("attic")
    index("shop", model="none")

    found = search()

    assert list(found["legs"]) == ["purpose", "body", "bm25", "symbol"]
    assert legs_of(found, "shop") == {"bm25"}
    assert found["builds"][1]["note"] == (
        "No vectors: none is gone. Searches are lexical only."
    )
    traced = services.trace(viewer=ANYONE, query="zebra", targets=["send_shop"])
    assert traced["targets"][0]["death"]["reason"] == "vocabulary_gap"


def test_a_changed_profile_is_searched_by_the_build_before_until_it_is_complete(
    models: dict[str, WordEncoder], index: Index
) -> None:
    before = index("shop")
    Profile.objects.filter(name="as-shop").update(model="other")
    profile = Profile.objects.get(name="as-shop")
    indexing.rebuild_profile(profile=profile)
    after = before.index.builds.order_by("-pk")[0]
    indexing.advance_build(build_id=after.pk)

    meanwhile = search()
    indexing.finish_build(build=after)
    at_last = search()

    assert [meanwhile["builds"][0]["id"], at_last["builds"][0]["id"]] == [
        before.pk,
        after.pk,
    ]
    assert meanwhile["legs"]["purpose"]["matched"] == 1
    assert at_last["legs"]["purpose"]["matched"] == 1
    assert at_last["builds"][0]["fingerprint"] == FINGERPRINTS["other"]


def test_a_profile_can_be_chosen_for_one_search(
    models: dict[str, WordEncoder], index: Index
) -> None:
    build = index("shop")
    Profile.objects.create(name="second", model="other")
    source = build.index.repository.source
    other = indexing.register(name="shop", source=source, profile="second")
    indexing.finish_build(build=indexing.request_build(index=other, enqueue=False))

    default = services.search(viewer=ANYONE, query=QUERY)
    second = services.search(viewer=ANYONE, query=QUERY, profile="second")

    assert default["builds"][0]["fingerprint"] == FINGERPRINTS["packaged"]
    assert second["builds"][0]["fingerprint"] == FINGERPRINTS["other"]
    assert list(second["legs"]) == ["purpose", "body", "bm25", "symbol"]


def test_pages_and_commands_show_the_legs_of_several_embedders(
    models: dict[str, WordEncoder], index: Index, client: Client
) -> None:
    index("attic")
    index("shop", model="other")
    printed = StringIO()

    page = client.get("/", {"q": QUERY}).content.decode()
    traced = client.get("/trace/", {"q": QUERY, "target": "send_shop"})
    call_command("trace", QUERY, target=["send_shop"], stdout=printed)

    assert "purpose:1a2b3c4d" in page
    assert "body:9f8e7d6c" in traced.content.decode()
    lines = printed.getvalue().splitlines()
    assert lines[1] == "  purpose:1a2b3c4d no evidence"
    assert lines[3].startswith("  purpose:9f8e7d6c rank 1, cosine 0.")


def test_two_real_models_of_other_lengths_are_searched_together(
    index: Index, tmp_path: Path
) -> None:
    wide = save_sentence_model(tmp_path / "wide", dimension=16)
    narrow = save_sentence_model(tmp_path / "narrow", dimension=12, pooling="cls")
    attic = index("attic", model=wide, query_prefix="query: ")
    shop = index("shop", model=narrow, dimension=6, max_tokens=32)

    found = search()

    assert {name for name in found["legs"] if ":" in name} == {
        f"{surface}:{build.fingerprint[:8]}"
        for surface in ("purpose", "body")
        for build in (attic, shop)
    }
    for build in (attic, shop):
        name = f"purpose:{build.fingerprint[:8]}"
        assert found["legs"][name]["matched"] == 1
        assert legs_of(found, build.index.repository.name) >= {name}
    assert json.loads(json.dumps(found, allow_nan=False)) == found
