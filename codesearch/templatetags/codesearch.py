"""What the templates need beyond Django's own: numbers, revisions, glyphs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from codesearch import highlight
from codesearch.examples import Example
from codesearch.pages.glossary import GLOSSARY, Entry
from codesearch.pages.links import Scope
from codesearch.pages.newest import ago
from codesearch.pages.scores import percent, rerank_depth
from codesearch.pages.search import surface_rows, surface_words
from codesearch.payloads import repository_then

register = template.Library()

REVISION_SHOWN = 12  # Enough to be unique in every repository we know of.


@register.filter
def thousands(value: int | str | None) -> str:
    """Return 12345 as "12,345", and what is absent as a dash."""
    # An absent name in a template arrives as "".
    return "–" if value is None or isinstance(value, str) else f"{value:,}"


register.filter(ago)
register.filter(percent)
register.filter(rerank_depth)
register.filter(surface_rows)
register.filter(surface_words)
register.filter(repository_then)


@register.filter
def short(revision: str) -> str:
    """Return the head of a commit hash."""
    return revision[:REVISION_SHOWN]


@register.filter
def day(when: str | datetime | None) -> str:
    """Return a moment, or its ISO form, as "26 Jun 2026"."""
    moment = _moment(when)
    return f"{moment.day} {moment:%b %Y}" if moment else ""


@register.filter
def minute(when: str | datetime | None) -> str:
    """Return a moment, or its ISO form, as "26 Jun 2026 14:07 UTC"."""
    moment = _moment(when)
    return f"{moment.day} {moment:%b %Y %H:%M} UTC" if moment else ""


@register.filter
def size(count: int | None) -> str:
    """Return a number of bytes in a unit that a person reads."""
    if count is None:
        return "–"
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"


@register.filter
def seen(text: str) -> SafeString:
    """Return a path or a name with unseen characters written out."""
    return highlight.show_unseen(text)


@register.simple_tag
def glyph(name: str, css: str = "inherit") -> SafeString:
    """Return one of the icons of `_glyphs.html`; it says nothing by itself."""
    return format_html(
        '<svg class="glyph c-{}" viewBox="0 0 10 10" aria-hidden="true"'
        ' focusable="false"><use href="#g-{}"/></svg>',
        css,
        name,
    )


@register.simple_tag
def term(key: str, label: str = "") -> SafeString:
    """Return a heading that tells what it means when it is pressed."""
    name = GLOSSARY[key].name
    return format_html(
        '<button class="term" type="button" popovertarget="about-{}"'
        ' title="What this means">{}</button>',
        key,
        label or name,
    )


@register.simple_tag
def hint(key: str) -> SafeString:
    """Return a button that tells what a term means."""
    return format_html(
        '<button class="term term--sign" type="button" popovertarget="about-{}"'
        ' aria-label="What is meant by {}">?</button>',
        key,
        GLOSSARY[key].name,
    )


@register.simple_tag
def glossary() -> list[Entry]:
    """Return what the buttons of `term` and `hint` show."""
    return list(GLOSSARY.values())


@register.filter
def negated(number: int) -> int:
    """Return a number with the other sign."""
    return -number


@register.filter
def spoken(reason: str) -> str:
    """Return a reason of the ledger as words: "too_large" as "too large"."""
    return reason.replace("_", " ")


@register.simple_tag
def search_again(scope: Scope) -> str:
    """Return the address of the search page of a scope."""
    return scope.search_url()


@register.simple_tag
def traced_json(scope: Scope, targets: list[str]) -> str:
    """Return the address of the trace's payload as JSON."""
    return scope.trace_url(*targets, format="json")


@register.simple_tag
def about_targets(page: str, scope: Scope, targets: list[str], **more: str) -> str:
    """Return the address of a page about targets, with the settings of the trace."""
    return scope.target_url(page, *targets, **more)


@register.simple_tag
def as_shipped(scope: Scope, targets: list[str]) -> str:
    """Return the address of a trace under the shipped settings."""
    return scope.shipped().trace_url(*targets)


@register.simple_tag
def shipped_search(scope: Scope) -> str:
    """Return the address of a search under the shipped settings."""
    return scope.shipped().search_url()


@register.simple_tag
def about_target(page: str, scope: Scope, target: str, **more: str) -> str:
    """Return the address of a page about one target, with the same settings."""
    return scope.target_url(page, target, **more)


@register.simple_tag
def everywhere(scope: Scope) -> str:
    """Return the address of the same search in all repositories."""
    return replace(scope, repositories=()).search_url()


@register.simple_tag
def example(scope: Scope, query: str) -> str:
    """Return the address of another query in the same scope."""
    return scope.ask(query)


@register.simple_tag
def example_trace(scope: Scope, found: Example) -> str:
    """Return the address of the trace of an example."""
    return replace(scope, query=found.query).trace_url(found.target)


@register.simple_tag
def as_phrase(scope: Scope) -> str:
    """Return the address of a search for the lines that hold the query as it stands."""
    quoted = scope.query.strip().replace("\\", "\\\\").replace('"', '\\"')
    return scope.ask(f'"{quoted}"')


@register.simple_tag
def with_format(scope: Scope) -> str:
    """Return the address of the search's payload as JSON."""
    return replace(scope, view="").search_url(format="json")


def _moment(when: str | datetime | None) -> datetime | None:
    if isinstance(when, str):
        return datetime.fromisoformat(when) if when else None
    return when
