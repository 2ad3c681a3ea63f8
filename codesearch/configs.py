"""Named configs: found for a page, saved, made the default and removed."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from codesearch.knobs import Pairs
from codesearch.models import NamedConfig

SHIPPED = "shipped"  # Names the shipped config where another one is the default.


def find_config(name: str, *, default: bool) -> NamedConfig | None:
    """Return the config of a name; with `default` and no name the default one."""
    if name:
        return NamedConfig.objects.filter(name=name).first()
    return NamedConfig.objects.filter(is_default=True).first() if default else None


def config_names() -> list[str]:
    """Return the names that can be chosen, the shipped one first."""
    names = NamedConfig.objects.values_list("name", flat=True)
    return [SHIPPED, *names]


def save_config(
    *, config: NamedConfig, name: str, pairs: Pairs, user_id: int | None
) -> NamedConfig:
    """Save the name and the settings of a config, which may be new; return it."""
    config.name, config.pairs = name, [list(pair) for pair in pairs]
    if config.pk is None:
        config.created_by_id = user_id
    config.save()
    return config


def choose_default(*, name: str) -> None:
    """Make a config the one of pages that name none; "shipped" is the shipped one."""
    with transaction.atomic():
        NamedConfig.objects.filter(is_default=True).update(is_default=False)
        NamedConfig.objects.filter(name=name).update(is_default=True)


def pairs_of(config: NamedConfig) -> Pairs:
    """Return the settings of a config as they are written into an address."""
    rows: Sequence[Sequence[str]] = config.pairs
    return [(name, value) for name, value in rows]
