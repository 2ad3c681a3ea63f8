"""Addresses of audits."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse

from codesearch.payloads import Payload


def audit_url(pk: int, *, view: str = "audit", part: str = "", **more: str) -> str:
    """Return the address of an audit, without what is ""."""
    chosen = {name: value for name, value in more.items() if value}
    query = f"?{urlencode(chosen)}" if chosen else ""
    return f"{reverse(view, args=[pk])}{query}{f'#{part}' if part else ''}"


def compare_url(first: int, second: int) -> str:
    """Return the address of the comparison of two audits."""
    return f"{reverse('compare')}?{urlencode({'a': first, 'b': second})}"


def only_of(payload: Payload) -> str:
    """Return which queries alone a payload is of, "" for all."""
    only: str = payload["only"]
    return "" if only == "all" else only
