"""What every page needs: version, theme, where we are in the navigation."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

import codesearch

THEME_COOKIE = "theme"
THEMES = ("system", "dark", "light")  # In the order in which the button changes them.
SECTIONS = {
    "search": "search",
    "trace": "trace",
    "symbols": "trace",
    "audits": "audits",
    "audit": "audits",
    "request_audit": "audits",
    "cases": "cases",
    "import_audit": "audits",
    "compare": "compare",
    "case_set": "cases",
    "case": "cases",
    "import_cases": "cases",
    "generate_cases": "cases",
    "change_set": "cases",
    "add_case": "cases",
    "change_case": "cases",
    "experiments": "experiments",
    "experiment": "experiments",
    "repositories": "repositories",
    "repository": "repositories",
    "coverage": "repositories",
    "jobs": "repositories",
    "job": "repositories",
}


def frame(request: HttpRequest) -> dict[str, Any]:  # Any: a template context
    """Return the context of `base.html` (a context processor).

    Not `site`: Django's sign-in view has a variable of that name, which would hide it.
    """
    theme = theme_of(request)
    match = getattr(request, "resolver_match", None)
    return {
        "frame": {
            "version": codesearch.__version__,
            "theme": theme,
            "next_theme": THEMES[(THEMES.index(theme) + 1) % len(THEMES)],
            "section": SECTIONS.get(match.url_name or "", "") if match else "",
        }
    }


def theme_of(request: HttpRequest) -> str:
    """Return the theme that the reader chose, or "system"."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "system"
