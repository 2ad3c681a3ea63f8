"""Queries as users of Sourcegraph and Zoekt type them, and what each is understood as.

All in (), any in [], ! is not, "phrase", /expression/, name=value; a plain word is
ranked by. `docs/query-language.md` says what the names mean.
"""

from __future__ import annotations

import pytest

from codesearch.funnel.expression import FilterError
from codesearch.funnel.query import read_query
from tests.codesearch.funnel.spelling import spell

UNDERSTOOD = {
    # Sourcegraph
    "fmt.Println": "fmt.Println",
    "repo:django/django get_queryset": "(repo=django/django get_queryset)",
    r"repo:^github\.com/org/repo$ file:\.go$ newClient": (
        r"(repo=^github\.com/org/repo$ file=\.go$ newClient)"
    ),
    "r:shop f:cart -f:test lang:python total": (
        "(repo=shop file=cart !file=test lang=python total)"
    ),
    "repo:shop@v1.2 total": "(repo=shop@v1.2 total)",
    "repo:shop rev:main total": "(repo=shop rev=main total)",
    "-repo:vendor lang:go mutex": "(!repo=vendor lang=go mutex)",
    "lang:TypeScript useEffect": "(lang=typescript useEffect)",
    "language:c++ unique_ptr": "(lang=cpp unique_ptr)",
    "lang:js OR lang:ts": "[lang=javascript lang=typescript]",
    "try AND catch": "(try catch)",
    "open OR close": "[open close]",
    "(open OR close) AND file": "([open close] file)",
    "lang:go open OR close": "(lang=go [open close])",
    "NOT deprecated render": "(!deprecated render)",
    "render -deprecated -file:legacy": "(render !deprecated !file=legacy)",
    "file:test NOT (mock OR stub)": "(file=test ![mock stub])",
    '"exact phrase here"': '"exact phrase here"',
    'content:"def __init__"': '"def __init__"',
    '-content:"TODO" parse': '(!"TODO" parse)',
    r"/func\s+New\w+/ lang:go": r"(/func\s+New\w+/ lang=go)",
    "/open|close/": "/open|close/",
    "type:symbol Client": "(type=code Client)",
    "type:path config": "(type=place config)",
    "case:yes HttpClient": "(case=yes HttpClient)",
    '"a" OR ("b" lang:go)': '["a" ("b" lang=go)]',
    "file:^src/.*_test.go$ assert": "(file=^src/.*_test.go$ assert)",
    # Zoekt
    "sym:Client$ f:api": "(sym=Client$ file=api)",
    "sym:parse": "sym=parse",
    "r:gerrit c:thing": '(repo=gerrit "thing")',
    "branch:main total": "(rev=main total)",
    "b:release-2 total": "(rev=release-2 total)",
    "content:/foo.*bar/ -f:vendor/": "(/foo.*bar/ !file=vendor/)",
    r"f:\.java$ -lang:kotlin foo": r"(file=\.java$ !lang=kotlin foo)",
    'phone "two words" -file:java': '(phone "two words" !file=java)',
    "(byte OR bit) order": "([byte bit] order)",
    # Others: a glob of GitHub, and what is ours.
    "path:src/**/*.tsx useState": "(path=src/**/*.tsx useState)",
    "symbol:WithContext language:go": "(sym=WithContext lang=go)",
    "path:/docs/ kind:section install": "(path=/docs/ kind=section install)",
    "is:test -is:generated retry": "(is=test !is=generated retry)",
    "type:doc install": "(type=doc install)",
    # Code that is pasted
    'raise ValueError("bad value")': '(raise ValueError("bad value"))',
    "std::vector<int>::push_back": "std::vector<int>::push_back",
    "def f(a: int) -> str:": "(def f(a: int) -> str:)",
    "git log --oneline -1": "(git log --oneline -1)",
    'config["key"] = os.environ.get("KEY")': (
        '(config["key"] = os.environ.get("KEY"))'
    ),
    "where are passwords hashed?": "(where are passwords hashed?)",
}
REFUSED = {
    "lang:pyhton x": "is python meant?",
    "x OR": "nothing stands behind it",
    "(a OR b": "nothing closes its parenthesis",
    'say "hello': "nothing closes its quotation mark",
    "/foo(/ x": "it cannot be read: missing ): foo(",
    "foo count:all": "results come in pages",
    "foo patternType:regexp": "a phrase stands in quotation marks",
    "foo select:repo": "type:code and type:place choose",
    "type:diff author:ann fix": "no type is called diff",
    "author:ann fix": "commits are not searched",
    "archived:yes foo": "every repository that you may read is searched",
    "case:auto foo": "there are yes, no",
    "repo:has.file(go.mod) foo": "predicates are not known",
}


@pytest.mark.parametrize("typed", UNDERSTOOD)
def test_what_is_typed_is_understood(typed: str) -> None:
    assert spell(read_query(typed).expression) == UNDERSTOOD[typed]


@pytest.mark.parametrize("typed", REFUSED)
def test_what_is_not_known_is_refused_in_a_sentence(typed: str) -> None:
    with pytest.raises(FilterError) as refused:
        read_query(typed)

    assert REFUSED[typed] in str(refused.value)


def test_the_table_holds_what_users_type() -> None:
    assert len(UNDERSTOOD) + len(REFUSED) >= 50
