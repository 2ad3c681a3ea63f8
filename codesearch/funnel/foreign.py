"""Foreign filters: names that other search tools know, and what to write here instead.

They are refused, not ignored, and not taken for words: whoever writes one means it.
"""

from __future__ import annotations

import re

_ANY = re.compile(r"")
_SWITCH = re.compile(r"(?:yes|no|only|any|public|private)(?=[\s)]|$)", re.IGNORECASE)
_NUMBER = re.compile(r"(?:\d+\w?|all)(?=[\s)]|$)")
_WHEN = re.compile(r'[\d"]|yesterday|last|today')

_IN_REACH = "every repository that you may read is searched; choose some with repo:"
_NO_COMMITS = "commits are not searched; rev: chooses an indexed revision"

# By name: how a value of it begins, for `count:int` is code, and what to do.
FOREIGN: dict[str, tuple[re.Pattern[str], str]] = {
    "count": (_NUMBER, "results come in pages, and all are there; leave it out"),
    "timeout": (_NUMBER, "a search has no time to set; leave it out"),
    "select": (_ANY, "type:code and type:place choose what is listed"),
    "patterntype": (_ANY, "a phrase stands in quotation marks, an expression in /…/"),
    "regex": (_ANY, "an expression stands between slashes, as in /foo.*bar/"),
    "author": (_ANY, _NO_COMMITS),
    "committer": (_ANY, _NO_COMMITS),
    "before": (_WHEN, _NO_COMMITS),
    "after": (_WHEN, _NO_COMMITS),
    "since": (_WHEN, _NO_COMMITS),
    "until": (_WHEN, _NO_COMMITS),
    "fork": (_SWITCH, _IN_REACH),
    "archived": (_SWITCH, _IN_REACH),
    "public": (_SWITCH, _IN_REACH),
    "visibility": (_SWITCH, _IN_REACH),
    "context": (_ANY, _IN_REACH),
    "org": (_ANY, _IN_REACH),
    "extension": (_ANY, "a file name is asked for as in path:*.py"),
    "filename": (_ANY, "a file name is asked for as in path:setup.py or file:/setup"),
}
