"""What the share form needs on every page that has one."""

from __future__ import annotations

from django import template

from codesearch.share_forms import EXPIRIES

register = template.Library()


@register.simple_tag
def expiries() -> list[tuple[str, str]]:
    """Return when a link may expire: values and words."""
    return list(EXPIRIES.items())
