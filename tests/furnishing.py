"""Puts something on every page of a site, by the forms and services of the product.

Runs inside the site's data, as `manage.py shell` does. Its worker rests, so that what
is queued or at work stays so.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.forms import model_to_dict
from django.test import Client
from django.utils import timezone

from codesearch.audits.running import finish_audit
from codesearch.experiments.running import finish_experiment
from codesearch.models import Audit, CaseSet, Experiment, NamedConfig, ShareLink
from indexer import services
from indexer.models import Build, Profile, Repository

BACKEND = "django.contrib.auth.backends.ModelBackend"
HELP_CENTRE = Path(__file__).resolve().parent.parent / "docs" / "examples"
SAMPLE = "format money"
ASKED = "engine"  # The repository that has enough in it to lose something.
TABLE = """id,query,target
one,how is a pool filled,fill_pool
two,names of a query,no_such_name
three,order of two legs,fusion.py
four,how are ties told,tie_of
five,what a person sees first,page_one.py
six,is it near enough,judge
seven,throw away what is said twice,fold
eight,read what was pasted,read_stack
a nine,two ids in one,fill_pool
ten,,fill_pool
"""


def furnish(sources: Mapping[str, str]) -> dict[str, str]:
    """Return what the addresses of the pages need; `sources` are folders by name."""
    staff = sign_in(User.objects.create_superuser("ada"))
    user = sign_in(User.objects.create_user("bob"))
    facts = {"staff": session(staff), "user": session(user)}
    facts |= index_twice(sources["shop"], staff)
    index("paths", sources["paths"])
    index(ASKED, sources[ASKED])
    index("shop", sources["shop"], profile="window")
    facts |= share_each(staff, facts["shop"])
    facts |= ask_cases(user)
    facts |= run_experiments(user)
    facts |= close_links(staff, sources["shop"])
    facts |= settle_jobs(sources)
    name_settings(staff)
    staff.get("/", {"q": "zeppelin kubernetes", "repository": "shop"})
    return facts


def furnish_empty() -> dict[str, str]:
    """Return the session of staff, all that there is before the first step."""
    return {"staff": session(sign_in(User.objects.create_superuser("ada")))}


def sign_in(user: User) -> Client:
    """Return a client who is signed in."""
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user, backend=BACKEND)
    return client


def session(client: Client) -> str:
    """Return the cookie that keeps a client signed in."""
    return client.cookies["sessionid"].value


def post(client: Client, address: str, **fields: object) -> str:
    """Send a form and return the last part of where it leads: a key or a token."""
    response = client.post(address, fields)
    assert response.status_code == 302, response.content.decode()
    return str(response["Location"]).strip("/").rpartition("/")[2]


def index(name: str, source: str, profile: str = "symbol", revision: str = "") -> Build:
    """Index a repository in this process."""
    made = services.register(name=name, source=source, profile=profile)
    build = services.request_build(index=made, revision=revision, enqueue=False)
    return services.finish_build(build=build)


def index_twice(source: str, staff: Client) -> dict[str, str]:
    """Index the shop, share what is found in it, and index it as it is later."""
    index("shop", source, revision="v1")
    stale = post(staff, "/share/", kind="search", q=SAMPLE, repository="shop")
    build = index("shop", source)
    return {"stale": stale, "shop": build.revision, "job": str(build.pk)}


def share_each(staff: Client, revision: str) -> dict[str, str]:
    """Return a link to a page of each kind but a comparison."""
    of_shop = {"q": SAMPLE, "repository": "shop"}
    profiles = {"a": "symbol", "b": "window", "q": f"{SAMPLE} => format_money"}
    lines = {"revision": revision, "path_url": "billing/money.py", "start": 6, "end": 8}
    made: dict[str, Mapping[str, object]] = {
        "search": of_shop,
        "trace": {**of_shop, "target": "Invoice.send"},
        "profiles": {"repository": "shop", **profiles},
        "file": {"repository": "shop", **lines},
    }
    return {
        f"shared_{kind}": post(staff, "/share/", kind=kind, **fields)
        for kind, fields in made.items()
    }


def ask_cases(user: Client) -> dict[str, str]:
    """Import and make sets, and audit one twice; a third time it waits."""
    table = HELP_CENTRE / "help-centre.json"
    call_command("audit_import", json=str(table), open=True, verbosity=0)
    brought = Audit.objects.get()
    with_refused = import_table(user)
    fields = {"repository": ASKED, "count": 40, "name": "From docstrings"}
    made = post(user, "/cases/generate/", **fields)
    typed = str(with_refused.pk)
    first = audit(user, typed, note="as shipped")
    second = audit(user, typed, note="a pool of 20", pool=20, guarantee=0)
    waiting = post(user, "/audits/request/", set=typed, note="waits", pool=30)
    compared = {"a": second.pk, "b": first.pk, "stage": "page"}
    return {
        "brought": str(brought.pk),
        "set": typed,
        "case": str(with_refused.cases.earliest("pk").pk),
        "made": made,
        "first": str(first.pk),
        "second": str(second.pk),
        "waiting": waiting,
        "shared_comparison": post(user, "/share/", kind="comparison", **compared),
    }


def audit(user: Client, case_set: str, **fields: object) -> Audit:
    """Audit a set in this process."""
    made = post(user, "/audits/request/", set=case_set, **fields)
    return finish_audit(audit=Audit.objects.get(pk=made))


def import_table(user: Client) -> CaseSet:
    """Import cases of which some lines are refused."""
    file = SimpleUploadedFile("typed.csv", TABLE.encode())
    made = post(user, "/cases/import/", file=file, repository=ASKED, name="Typed")
    return CaseSet.objects.get(pk=made)


def run_experiments(user: Client) -> dict[str, str]:
    """Run one finding to its end, and let another wait."""
    fields = {"repository": "shop", "target": ""}
    done = post(user, "/experiments/start/", kind="drift", **fields)
    finish_experiment(experiment=Experiment.objects.get(token=done))
    waits = post(user, "/experiments/start/", kind="dilution", **fields)
    return {"experiment": done, "experiment_waits": waits}


def close_links(staff: Client, source: str) -> dict[str, str]:
    """Return links that lead nowhere any more, each for a reason of its own."""
    index("gone", source)
    of_shop = {"kind": "search", "q": SAMPLE, "repository": "shop"}
    revoked = post(staff, "/share/", label="revoked", **of_shop)
    post(staff, f"/s/{revoked}/revoke/")
    expired = post(staff, "/share/", label="expired", expires="1", **of_shop)
    links = ShareLink.objects.filter(label="expired")
    links.update(expires_at=timezone.now())
    removed = post(staff, "/share/", **of_shop | {"repository": "gone"})
    post(staff, "/r/gone/remove/")
    return {"revoked": revoked, "expired": expired, "removed": removed}


def settle_jobs(sources: Mapping[str, str]) -> dict[str, str]:
    """Let one build fail, one come as far as its words, and one wait."""
    failed = index("broken", f"{sources['shop']}-nowhere")
    assert failed.status == Build.Status.FAILED
    growing = services.register(name="growing", source=sources[ASKED])
    build = services.request_build(index=growing, enqueue=False)
    while build.lexical_at is None:
        services.advance_build(build_id=build.pk)
        build.refresh_from_db()
    later = services.register(name="later", source=sources["paths"])
    waits = services.request_build(index=later, enqueue=False)
    Repository.objects.filter(name="later").update(visibility="staff")
    return {
        "failed": str(failed.pk),
        "growing": str(build.pk),
        "queued": str(waits.pk),
    }


def name_settings(staff: Client) -> None:
    """Save a config and a profile beside those that there are."""
    post(staff, "/configs/add/", name="small-pool", pool=20, off=["symbol"])
    assert NamedConfig.objects.filter(name="small-pool").exists()
    fields = model_to_dict(Profile.objects.get(name="symbol"))
    kept = {name: value for name, value in fields.items() if value is not None}
    post(staff, "/profiles/add/", **kept | {"name": "copy"})
