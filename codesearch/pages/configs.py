"""The page of configs: what each turns, in words, and where to search with it."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from codesearch.configs import SHIPPED, pairs_of
from codesearch.knobs import KNOBS, Pairs
from codesearch.models import NamedConfig


@dataclass(frozen=True, slots=True)
class ConfigRow:
    """One config: what it turns as names with values, and who made it."""

    name: str
    turned: Pairs
    is_default: bool
    made_by: str
    search_url: str
    is_ours: bool = False


def config_rows() -> list[ConfigRow]:
    """Return a row a config, the shipped one first."""
    found = list(NamedConfig.objects.select_related("created_by"))
    is_default = not any(one.is_default for one in found)
    shipped = ConfigRow(SHIPPED, [], is_default, "", search_url(SHIPPED), is_ours=True)
    return [shipped, *(_row(one) for one in found)]


@dataclass(frozen=True, slots=True)
class Choice:
    """A config that can be chosen; the one that is used now `is_chosen`."""

    name: str
    is_default: bool
    is_chosen: bool


def config_choices(chosen: str) -> list[Choice]:
    """Return the configs to choose from, none where there is one only.

    Without a `chosen` one the default is.
    """
    found = dict(NamedConfig.objects.values_list("name", "is_default"))
    if not found:
        return []
    defaults = {SHIPPED: not any(found.values()), **found}
    return [
        Choice(name, is_default, name == chosen if chosen else is_default)
        for name, is_default in defaults.items()
    ]


def search_url(name: str) -> str:
    """Return the address of a search with a config."""
    return f"{reverse('search')}?config={name}"


def _row(config: NamedConfig) -> ConfigRow:
    pairs = [
        (KNOBS[name].label if name in KNOBS else name, value)
        for name, value in pairs_of(config)
    ]
    maker = config.created_by.get_username() if config.created_by else ""
    return ConfigRow(
        config.name, pairs, config.is_default, maker, search_url(config.name)
    )
