"""The pages of the product, in the states that a person can meet them in.

Browser tests look at each, and the screenshots are of them. Addresses hold names of the
facts that `tests/furnishing.py` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

Viewer = Literal["anyone", "user", "staff"]

STACK = """Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 5, in run
    go()
  File "/srv/app/billing/money.py", line 8, in format_money
    return amount + locale
ValueError: cannot format money
"""


@dataclass(frozen=True, slots=True)
class Page:
    """One page in one state: its name, where it is, and a text that only it shows."""

    name: str
    path: str
    shows: str
    viewer: Viewer = "anyone"
    status: int = 200
    site: str = "furnished"

    def address(self, facts: Mapping[str, str]) -> str:
        """Return its path on a site of these facts."""
        return self.path.format_map(facts)


def ask(path: str, q: str = "", **more: str) -> str:
    """Return a path with a query; underscores of names stand for dots."""
    fields = {"q": q, **{name.replace("_", "."): text for name, text in more.items()}}
    return f"{path}?{urlencode(fields, safe='{}')}"


def shop(q: str, **more: str) -> str:
    """Return a search of the shop."""
    return ask("/", q, repository="shop", **more)


def engine(q: str, **more: str) -> str:
    """Return a search of the repository that has enough to lose something."""
    return ask("/", q, repository="engine", **more)


def trace(q: str, target: str, path: str = "/trace/", **more: str) -> str:
    """Return a trace in the same repository."""
    return ask(path, q, repository="engine", target=target, **more)


FILL = "how is the pool filled"
FIRST_STEPS = (
    Page("first-run", "/", "Register a repository", site="empty"),
    Page("first-run-staff", "/", "Add a repository", "staff", site="empty"),
    Page("empty-repositories", "/repositories/", "None is registered", site="empty"),
    Page("empty-trace", "/trace/", "where did it go", site="empty"),
    Page("empty-audits", "/audits/", "Audits", site="empty"),
    Page("empty-cases", "/cases/", "There is none yet", site="empty"),
    Page("empty-compare", "/compare/", "Compare", site="empty"),
    Page("empty-experiments", "/experiments/", "Experiments", site="empty"),
    Page("empty-jobs", "/jobs/", "Jobs", site="empty"),
    Page("empty-queries", "/queries/", "Weak queries", "staff", site="empty"),
    Page("empty-links", "/s/", "Links", "staff", site="empty"),
)
SEARCHES = (
    Page("search-start", "/", "Ask in words, or name a symbol"),
    Page("search", engine(FILL), "fill_pool"),
    Page("search-all", ask("/", "format money"), "format_money"),
    Page("search-user", shop("format money"), "This was the right one", "user"),
    Page("search-list", engine(FILL, view="list"), "fill_pool"),
    Page("search-last-page", engine(FILL, page="99"), "fill_pool"),
    Page("search-lines", engine('"def fill"', view="lines"), "def fill"),
    Page("search-lines-none", engine('"zzyzx"', view="lines"), "No line"),
    Page("search-phrase", shop('"an amount" OR /total\\w*/'), "literal"),
    Page("search-filters", shop("lang:python -is:test send"), "lang:python"),
    Page("search-definitions", shop("send"), "Report.send"),
    Page(
        "search-nothing-close",
        engine("zeppelin kubernetes path:pool.py"),
        "Nothing here is close",
    ),
    Page("search-nothing", shop("/zzyzx/"), "Nothing found"),
    Page("search-filtered-out", shop("format money lang:go"), "Without"),
    Page("search-wordless", shop("!!!"), "There is no word to rank by"),
    Page("search-bad", shop("money lang:pyth"), "lang:pyth", status=400),
    Page("search-bad-regex", shop("/(/"), "/(/", status=400),
    Page("search-unknown", ask("/", "repo:no x"), "no repository", status=404),
    Page("search-unindexed", ask("/", "x", repository="broken"), "can be searched yet"),
    Page("search-growing", ask("/", "seats pool", repository="growing"), "fill_pool"),
    Page("search-cut", shop("money " * 400), "what lies beyond is left out"),
    Page("search-stack", ask("/", STACK), "1 frame in no indexed file"),
    Page("search-hostile", ask("/", "pay a bill", repository="paths"), "onerror"),
    Page("search-config", shop("format money", config="small-pool"), "small-pool"),
    Page("like", trace("", "fill_pool", "/like/"), "Most alike"),
    Page("like-ambiguous", ask("/like/", target="send"), "send", status=404),
    Page("symbols", ask("/symbols/", target="fill"), "fill_pool"),
)
TRACES = (
    Page("trace-start", "/trace/", "where did it go"),
    Page("trace-survived", trace(FILL, "fill_pool"), "fill_pool"),
    Page("trace-user", trace(FILL, "fill_pool"), "Save as case", "user"),
    Page("trace-lost", trace(FILL, "tie_of", pool="20"), "Died at the pool"),
    Page(
        "trace-filtered", trace(f"{FILL} path:trace.py", "fill_pool"), "path:trace.py"
    ),
    Page("trace-skipped", ask("/trace/", "money", target="logo.png"), "skipped"),
    Page("trace-data", ask("/trace/", "money", target="shop:locale/de.po"), "data"),
    Page("trace-nowhere", trace(FILL, "no/such.py"), "no/such.py"),
    Page("trace-hostile", ask("/trace/", "bill", target="pay"), "onerror"),
    Page("trace-ambiguous", ask("/trace/", "send it", target="send"), "Report.send"),
    Page("trace-bad", trace("/(/", "fill_pool"), "/(/", status=400),
    Page("whatif", trace(FILL, "tie_of", "/trace/whatif/", pool="20"), "Weight of"),
    Page("changes", trace(FILL, "tie_of", "/trace/changes/", pool="20"), "pool"),
    Page(
        "phrasings",
        trace(FILL, "fill_pool", "/trace/phrasings/", phrasing="seats for hits"),
        "seats for hits",
    ),
    Page("lines", trace(FILL, "fill_pool", "/trace/lines/"), "Lines of"),
)
MEASURES = (
    Page("audits", "/audits/", "as shipped"),
    Page("audits-user", "/audits/", "Start", "user"),
    Page("audit", "/audits/{first}/", "What was lost, and where", "user"),
    Page("audit-later", "/audits/{second}/", "Against the run before", "user"),
    Page("audit-waiting", "/audits/{waiting}/", "queued", "user"),
    Page("audit-brought", "/audits/{brought}/", "Recall at k"),
    Page("audit-import", "/audits/import/", "Bring your own pipeline", "user"),
    Page("compare-start", "/compare/", "Compare two audits"),
    Page("compare", "/compare/?a={second}&b={first}&stage=page", "Metrics"),
    Page("compare-profiles-start", "/compare/profiles/", "Profiles side by side"),
    Page(
        "compare-profiles",
        ask("/compare/profiles/", "format money => format_money", repository="shop"),
        "format_money",
    ),
    Page("cases", "/cases/", "Typed"),
    Page("cases-user", "/cases/", "Import", "user"),
    Page("case-set", "/cases/{set}/", "were not taken", "user"),
    Page("case-set-made", "/cases/{made}/", "From docstrings"),
    Page("case", "/cases/{set}/{case}/", "Case one", "user"),
    Page("experiments", "/experiments/?repository=shop", "Position drift"),
    Page("experiments-user", "/experiments/?repository=shop", "Run on shop", "user"),
    Page("experiment", "/experiments/{experiment}/", "On this repository"),
    Page("experiment-waits", "/experiments/{experiment_waits}/", "queued", "user"),
)
REPOSITORIES = (
    Page("repositories", "/repositories/", "engine"),
    Page("repositories-staff", "/repositories/", "broken", "staff"),
    Page("repository", "/r/engine/", "What is indexed of this repository"),
    Page("repository-staff", "/r/shop/", "Settings", "staff"),
    Page("repository-growing", "/r/growing/", "growing", "staff"),
    Page("repository-broken", "/r/broken/", "failed", "staff"),
    Page("add-repository", "/repositories/add/", "Add a repository", "staff"),
    Page("repository-settings", "/r/shop/settings/", "Settings of shop", "staff"),
    Page("remove-repository", "/r/shop/remove/", "This cannot be undone", "staff"),
    Page("coverage", "/r/shop/coverage/", "logo.png"),
    Page("coverage-hostile", "/r/paths/coverage/", "onerror"),
    Page("jobs", "/jobs/", "shop"),
    Page("jobs-staff", "/jobs/", "growing", "staff"),
    Page("job", "/jobs/{job}/", "Ready after"),
    Page("job-failed", "/jobs/{failed}/", "failed", "staff"),
    Page("job-growing", "/jobs/{growing}/", "growing", "staff"),
    Page("job-queued", "/jobs/{queued}/", "queued", "staff"),
)
MARKUP = quote("<img src=x onerror=alert(1)>.py")
FILES = (
    Page("blob", "/r/shop/blob/{shop}/billing/money.py", "format_money"),
    Page("blob-lines", "/r/shop/blob/{shop}/billing/money.py?chunks=1#L6-L8", "chunk:"),
    Page("blob-long", "/r/engine/blob/main/trace.py", "trace_chunk"),
    Page("blob-wide", "/r/paths/blob/main/long.py", "a_name_that_goes_on"),
    Page("blob-hostile", f"/r/paths/blob/main/{MARKUP}", "onerror"),
    Page("blob-skipped", "/r/shop/blob/{shop}/logo.png", "logo.png"),
    Page("blob-missing", "/r/shop/blob/{shop}/no.py", "No such file", status=404),
    Page("tree", "/r/shop/tree/{shop}/", "notes.txt"),
    Page("folder", "/r/shop/tree/{shop}/billing/", "money.py"),
    Page("tree-hostile", "/r/paths/tree/main/", "onerror"),
    Page("inspect", "/r/shop/inspect/{shop}/billing/money.py", "What is indexed of"),
    Page("names", "/r/shop/names/{shop}/?name=send", "Report.send"),
    Page("uses", "/r/shop/uses/{shop}/?name=total", "Uses of the name"),
    Page("map", "/r/shop/map/{shop}/billing/money.py", "Chunk map of"),
    Page("map-long", "/r/engine/map/main/trace.py?shift=3", "Chunk map of"),
)
SHARED = (
    Page("links", "/s/", "What you have shared", "user"),
    Page("links-staff", "/s/", "What everyone has shared", "staff"),
    Page("shared-search", "/s/{shared_search}", "frozen"),
    Page("shared-search-own", "/s/{shared_search}", "Revoke", "staff"),
    Page("shared-search-stale", "/s/{stale}", "moved on"),
    Page("shared-trace", "/s/{shared_trace}", "Invoice.send"),
    Page("shared-comparison", "/s/{shared_comparison}", "frozen"),
    Page("shared-profiles", "/s/{shared_profiles}", "format_money"),
    Page("shared-file", "/s/{shared_file}", "Lines 1 to 13"),
    Page("shared-expired", "/s/{expired}", "expired on", status=410),
    Page("shared-expired-own", "/s/{expired}", "set another expiry", "staff", 410),
    Page("shared-revoked", "/s/{revoked}", "was revoked on", status=410),
    Page("shared-removed", "/s/{removed}", "gone", "staff"),
)
SETTINGS = (
    Page("configs", "/configs/", "small-pool"),
    Page("configs-staff", "/configs/", "Make a config", "staff"),
    Page("config-add", "/configs/add/", "Make a config", "staff"),
    Page("config", "/configs/small-pool/", "Config small-pool", "staff"),
    Page("profiles", "/profiles/", "window"),
    Page("profiles-staff", "/profiles/", "copy", "staff"),
    Page("profile-add", "/profiles/add/", "Make a profile", "staff"),
    Page("profile", "/profiles/copy/", "Profile copy", "staff"),
    Page("queries", "/queries/", "zeppelin kubernetes", "staff"),
    Page("help", "/help/", "what the numbers mean"),
    Page("log-in", "/accounts/login/", "Sign in"),
    Page("not-allowed", "/queries/", "Nobody is signed in here", status=403),
    Page("not-here", "/nowhere/", "There is no such page", status=404),
    Page("admin", "/admin/", "Repositories", "staff"),
)
PAGES = (
    *FIRST_STEPS,
    *SEARCHES,
    *TRACES,
    *MEASURES,
    *REPOSITORIES,
    *FILES,
    *SHARED,
    *SETTINGS,
)
