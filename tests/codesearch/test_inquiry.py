"""Findings are kept for who asks again, and access is decided anew each time."""

from __future__ import annotations

import pytest

from codesearch.errors import NothingIndexed
from codesearch.inquiry import inquire
from indexer import encoders
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Repository

QUERY = "format money for a locale"


def test_findings_are_used_again_where_that_is_asked_for(shop: Build) -> None:
    first = inquire(ANYONE, QUERY)

    assert inquire(ANYONE, QUERY, again=True).findings is first.findings
    assert inquire(ANYONE, QUERY).findings is not first.findings
    assert inquire(ANYONE, "format", again=True).query.text == "format"


def test_a_layer_more_is_another_inquiry(shop: Build) -> None:
    build = indexing.request_build(index=shop.index, enqueue=False)
    indexing.advance_build(build_id=build.pk)
    lexical = inquire(ANYONE, QUERY, again=True)
    assert inquire(ANYONE, QUERY, again=True).findings is lexical.findings

    indexing.finish_build(build=build)

    found = inquire(ANYONE, QUERY, again=True).findings
    assert [leg.ran for leg in lexical.findings.legs] == [False, False, True, True]
    assert all(leg.ran for leg in found.legs)


def test_what_failed_is_not_kept(shop: Build) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encoders, "encoder_of", lambda embedder: (None, "no model"))
        failed = inquire(ANYONE, QUERY, again=True).findings

    found = inquire(ANYONE, QUERY, again=True).findings

    assert [leg.ran for leg in failed.legs] == [False, False, True, True]
    assert all(leg.ran for leg in found.legs)


def test_what_is_kept_is_not_for_who_may_not_read_it_any_more(shop: Build) -> None:
    inquire(ANYONE, QUERY)
    Repository.objects.update(visibility=Repository.Visibility.STAFF)

    with pytest.raises(NothingIndexed):
        inquire(ANYONE, QUERY, again=True)
