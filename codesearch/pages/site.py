"""What every page needs: version, theme, where we are in the navigation."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

import codesearch

THEME_COOKIE = "theme"
THEMES = ("system", "dark", "light")  # In the order in which the button changes them.
SECTIONS = {  # In the navigation, by how the address of a page begins.
    "": "search",
    "trace": "trace",
    "symbols": "trace",
    "compare": "compare",
    "audits": "audits",
    "cases": "cases",
    "experiments": "experiments",
    "repositories": "repositories",
    "r": "repositories",
    "jobs": "repositories",
}


def frame(request: HttpRequest) -> dict[str, Any]:  # Any: a template context
    """Return the context of `base.html` (a context processor).

    Not `site`: Django's sign-in view has a variable of that name, which would hide it.
    """
    theme = theme_of(request)
    begins = request.path_info.lstrip("/").partition("/")[0]
    return {
        "frame": {
            "version": codesearch.__version__,
            "theme": theme,
            "next_theme": THEMES[(THEMES.index(theme) + 1) % len(THEMES)],
            "section": SECTIONS.get(begins, ""),
        }
    }


def theme_of(request: HttpRequest) -> str:
    """Return the theme that the reader chose, or "system"."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "system"
