"""Addresses that cannot stand for anything are not found, whatever the database."""

from __future__ import annotations

import pytest
from django.urls import Resolver404, resolve


@pytest.mark.parametrize(
    "address",
    [
        "/r/a\x00b/",
        "/r/a\x00b/blob/0/a.py",
        "/r/a/blob/0\x00/a.py",
        "/r/a/raw/0/a\x00b.py",
        "/repositories/a\x00b/card/",
        "/repositories/a\x00b/progress/",
        "/repositories/a\x00b/build/",
        "/s/a\x00b",
    ],
)
def test_an_address_with_a_nul_stands_for_nothing(address: str) -> None:
    assert resolve(address.replace("\x00", ""))
    with pytest.raises(Resolver404):
        resolve(address)
