"""The list of audits, and the form that starts one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from codesearch.audits.headlines import Headline, headline
from codesearch.funnel.legs import LEGS
from codesearch.knobs import (
    AS_SHIPPED,
    FEATURES,
    KNOBS,
    OFF,
    PLAIN,
    RERANKER,
    RERANKERS,
    WEIGHTS,
    Knob,
)
from codesearch.models import Audit, CaseSet
from codesearch.pages.audits.history import config_text
from codesearch.pages.audits.links import audit_url
from codesearch.pages.audits.measures import decimal
from codesearch.pages.jobs import STATES
from codesearch.pages.trace.whatif import KnobView, number

SHOWN = 20  # Audits on a page.


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One audit of the list."""

    audit: Audit
    url: str
    of: str
    config: str
    when: datetime
    state: str
    glyph: str
    measures: list[str]


@dataclass(frozen=True, slots=True)
class FormView:
    """The form that starts an audit, with what is filled in."""

    sets: list[tuple[CaseSet, bool]]
    names: list[tuple[str, bool]]
    profile: str
    note: str
    knobs: list[KnobView]
    features: list[KnobView]
    legs: list[tuple[str, bool]]
    rerankers: list[tuple[str, bool]]
    is_turned: bool


def audit_line(audit: Audit) -> AuditLine:
    """Return an audit of the list, with its headline once it is finished."""
    is_done = audit.status == Audit.Status.DONE
    found = headline(audit) if is_done else Headline()
    names = sorted(one.name for one in audit.repositories.all())
    state, glyph = STATES[audit.status]
    return AuditLine(
        audit=audit,
        url=audit_url(audit.pk),
        of=audit.system or ", ".join(names),
        config=config_text(audit),
        when=audit.created_at,
        state=state,
        glyph=glyph,
        measures=[
            decimal(value) for value in (found.union, found.pool, found.page, found.mrr)
        ],
    )


def audit_form(
    sets: Sequence[CaseSet],
    names: Sequence[str],
    chosen: Mapping[str, Sequence[str]],
) -> FormView:
    """Return the form with what is `chosen`, by the names of its fields."""

    def first(name: str) -> str:
        return next(iter(chosen.get(name, ())), "")

    turned = {OFF, RERANKER, *KNOBS} & {
        name for name, values in chosen.items() if any(values)
    }
    return FormView(
        sets=[(one, str(one.pk) == first("set")) for one in sets],
        names=[(name, name in chosen.get("repository", ())) for name in names],
        profile=first("profile"),
        note=first("note"),
        knobs=[_knob(knob, first(knob.name)) for knob in (*PLAIN, *WEIGHTS)],
        features=[_knob(knob, first(knob.name)) for knob in FEATURES],
        legs=[(leg, leg in chosen.get("off", ())) for leg in LEGS],
        rerankers=[
            (kind, kind == (first("reranker") or AS_SHIPPED.reranker))
            for kind in RERANKERS
        ],
        is_turned=bool(turned),
    )


def _knob(knob: Knob, value: str) -> KnobView:
    """Return a knob as a number to fill in; empty leaves it as shipped."""
    shipped = knob.read(AS_SHIPPED)
    return KnobView(
        name=knob.name,
        label=knob.label,
        value=value,
        hint="by rule" if shipped is None else number(shipped),
        low=f"{knob.least:g}",
        high=f"{knob.most:g}",
        step="1" if knob.is_whole else "any",
        bar=None,
        state="none",
        sentence="",
        rows=[],
    )
