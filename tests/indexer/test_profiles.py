"""A changed profile makes new builds; those that exist stay what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from indexer import encoders, progress, services, vectors
from indexer.access import ANYONE
from indexer.engines.layers import VectorLayer, open_layer
from indexer.models import Build, Index, Layer, Profile
from indexer.pipeline.encoder import Embedder
from indexer.places import place_of
from indexer.selectors import repository_card
from tests.conftest import MakeRepository, build_all
from tests.encoders import WordEncoder
from tests.small_models import save_sentence_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]

FILES: dict[str, str | bytes] = {
    "money.py": 'def pay(x):\n    """Pay it."""\n    return x\n',
    "cart.js": "export function addToCart(item) {\n  return item;\n}\n",
}


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository(FILES)


@pytest.fixture
def index(source: Path, encoder: WordEncoder) -> Index:
    return services.register(name="shop", source=str(source))


def change_profile(**changes: object) -> int:
    """Change the profile "symbol"; return how many builds that asked for."""
    profile = Profile.objects.get(name="symbol")
    for name, value in changes.items():
        setattr(profile, name, value)
    profile.save()
    return services.rebuild_profile(profile=profile)


def form(**changes: object) -> dict[str, object]:
    """The profile "symbol" as its form is sent."""
    return {
        "name": "symbol",
        "chunker": "symbol",
        "model": "",
        "revision": "",
        "query_prefix": "",
        "passage_prefix": "",
        "max_tokens": "",
        "dimension": "",
        "pooling": "",
        **changes,
    }


def post(admin: Client, **changes: object) -> str:
    """Send the form; return the page that follows."""
    profile = Profile.objects.get(name="symbol")
    url = f"/admin/indexer/profile/{profile.pk}/change/"
    return admin.post(url, form(**changes), follow=True).content.decode()


def test_an_empty_model_is_the_configured_one(settings: Settings) -> None:
    settings.MODEL = "/models/ours"

    assert Profile(max_tokens=128).embedder == Embedder("/models/ours", max_tokens=128)
    assert Profile(model="other/model").embedder == Embedder("other/model")


def test_a_build_keeps_the_recipe_it_was_asked_for_with(index: Index) -> None:
    build = build_all(index)

    change_profile(chunker="window", query_prefix="query: ")

    build.refresh_from_db()
    assert build.recipe["chunker"] == "symbol"
    assert build.embedder == Embedder("packaged")


def test_a_changed_profile_asks_for_a_build_of_each_of_its_indexes_once(
    index: Index, source: Path
) -> None:
    build_all(index)
    window = services.register(name="shop", source=str(source), profile="window")
    never_built = services.register(name="attic", source=str(source))

    assert change_profile() == 0
    assert change_profile(max_tokens=64) == 1
    assert change_profile(max_tokens=64) == 0

    newest = index.builds.order_by("-pk")[0]
    assert newest.status == "queued"
    assert newest.embedder.max_tokens == 64
    assert not window.builds.exists()
    assert not never_built.builds.exists()


def test_a_change_while_a_build_runs_cancels_it_and_asks_anew(index: Index) -> None:
    running = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=running.pk)

    change_profile(pooling="cls")

    running.refresh_from_db()
    other = index.builds.order_by("-pk")[0]
    assert running.status == "cancelled"
    assert (other.status, other.embedder.pooling) == ("queued", "cls")


def test_a_changed_profile_keeps_the_revision_that_was_chosen(index: Index) -> None:
    services.request_build(index=index, enqueue=False, revision="main")

    change_profile(pooling="cls")

    newest = index.builds.order_by("-pk")[0]
    assert (newest.status, newest.wanted, newest.cause) == (
        "queued",
        "main",
        "profile",
    )


def test_the_build_before_is_searched_until_that_of_a_changed_profile_is_complete(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "STEP_SECONDS", 0.0)
    before = build_all(index)
    change_profile(query_prefix="query: ")
    after = index.builds.order_by("-pk")[0]

    seen = []
    while services.advance_build(build_id=after.pk):
        index.refresh_from_db()
        card = repository_card(ANYONE, "shop")
        seen.append((index.current_build_id, card and card.stages[2].text))

    index.refresh_from_db()
    waits = "2 chunks, live when all vectors are made"
    # Lexical, summaries, purposes, bodies; the calibration makes it complete.
    assert seen == [(before.pk, waits)] * 4
    assert index.current_build_id == after.pk


def test_a_build_of_a_changed_profile_that_fails_leaves_the_one_before(
    index: Index, source: Path
) -> None:
    before = build_all(index)
    change_profile(query_prefix="query: ")
    after = index.builds.order_by("-pk")[0]
    services.advance_build(build_id=after.pk)

    progress.fail_build(build=after, reason="the disk is full")

    index.refresh_from_db()
    assert index.current_build_id == before.pk


def test_a_model_that_cannot_be_loaded_leaves_a_lexical_build_that_says_so(
    source: Path,
) -> None:
    Profile.objects.filter(name="symbol").update(model="/no/such/folder")

    build = build_all(services.register(name="shop", source=str(source)))

    assert build.status == "ready"
    assert build.note == (
        "No vectors: model /no/such/folder cannot be loaded: there is no such folder. "
        "Searches are lexical only."
    )


def test_another_embedder_makes_all_vectors_anew_and_mixes_none(
    source: Path, tmp_path: Path
) -> None:
    model = save_sentence_model(tmp_path)
    Profile.objects.filter(name="symbol").update(model=model)
    index = services.register(name="shop", source=str(source))
    before = build_all(index)

    change_profile(dimension=8, passage_prefix="code: ")
    after = services.finish_build(build=index.builds.order_by("-pk")[0])

    assert before.fingerprint != after.fingerprint
    assert (after.vectors_done, after.vectors_reused) == (after.vector_count, 0)
    assert dimensions(before) == {16}
    assert dimensions(after) == {8}
    assert build_all(index).vectors_reused == after.vector_count


def dimensions(build: Build) -> set[int]:
    found = set()
    for layer in build.layers.exclude(kind=Layer.Kind.LEXICAL):
        opened = open_layer(place_of(layer))
        assert isinstance(opened, VectorLayer)
        found.add(opened.vectors.dimension)
    return found


# The form of an administrator.


def test_saving_a_change_says_that_its_indexes_are_built_anew(
    admin: Client, index: Index
) -> None:
    build_all(index)

    page = post(admin, chunker="window", query_prefix="query: ")

    profile = Profile.objects.get(name="symbol")
    assert (profile.chunker, profile.query_prefix) == ("window", "query: ")
    assert "1 index is built anew" in page
    assert index.builds.order_by("-pk")[0].recipe == profile.recipe


def test_a_prefix_is_kept_to_its_last_space_and_with_plain_line_ends(
    admin: Client, encoder: WordEncoder
) -> None:
    post(admin, query_prefix="Find code.\r\nQuery: ", passage_prefix=" ")

    profile = Profile.objects.get(name="symbol")
    assert profile.query_prefix == "Find code.\nQuery: "
    assert profile.passage_prefix == " "


def test_a_model_that_cannot_be_loaded_is_refused_with_the_reason(
    admin: Client,
) -> None:
    page = post(admin, model="/no/such/folder")

    assert "This cannot make vectors: model /no/such/folder cannot be loaded" in page
    assert Profile.objects.get(name="symbol").model == ""


def test_what_the_model_cannot_do_is_refused_with_the_reason(
    admin: Client, tmp_path: Path
) -> None:
    model = save_sentence_model(tmp_path)

    refused = post(admin, model=model, max_tokens="512")
    post(admin, model=model, max_tokens="48", dimension="8", pooling="cls")

    profile = Profile.objects.get(name="symbol")
    assert "reads up to 64 tokens, and 32 are the least; 512 were asked for" in refused
    assert profile.embedder == Embedder(
        model, max_tokens=48, dimension=8, pooling="cls"
    )


def test_no_vectors_is_a_choice_and_a_new_name_loads_no_model(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(admin, model="none")
    monkeypatch.delattr(encoders, "encoder_of")
    post(admin, model="none", name="words")

    assert Profile.objects.get(name="words").model == "none"


def test_the_list_shows_each_embedder_and_what_is_to_be_built(
    admin: Client, index: Index
) -> None:
    build_all(index)
    change_profile(query_prefix="query: ", max_tokens=64)

    page = admin.get("/admin/indexer/profile/").content.decode()

    assert "packaged (CODESEARCH_MODEL)" in page
    assert "queries after &#x27;query: &#x27;, 64 tokens" in page
    assert "1, 1 to be built" in page


def test_profiles_are_for_staff(client: Client) -> None:
    assert (
        client.get("/admin/indexer/profile/", follow=True)
        .redirect_chain[-1][0]
        .startswith("/admin/login/")
    )
