"""A small indexed repository for the tests of the read side."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

import codesearch.urls  # noqa: F401 - before a test stands in for what views import
from indexer import services
from indexer.models import Build, Repository
from tests.conftest import MakeRepository, build_all
from tests.encoders import WordEncoder

MONEY = '''"""Money: amounts and how to print them."""

RATE = 2


def format_money(amount, locale):
    """Format an amount of money for a locale."""
    return f"{amount} {locale}"


class Invoice:
    """A bill for a customer."""

    def total(self):
        """Add the lines up."""
        return sum(self.lines)

    def send(self):
        return post(self)
'''
EXPORTS = '''def total(rows):
    """Count the rows of an export."""
    return len(rows)


class Report:
    def send(self):
        """Mail the report to its readers."""
        return mail(self)
'''
FILES: dict[str, str | bytes] = {
    "billing/money.py": MONEY,
    "billing/exports.py": EXPORTS,
    "locale/de.po": 'msgid "money"\nmsgstr "Geld"\n',
    "logo.png": b"\x89PNG\x00\x00",
    "notes.txt": "Invoices are sent at night.\n",
}


@pytest.fixture
def shop(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    """The finished build of a repository called shop."""
    return build_of("shop", make_repository(FILES))


@pytest.fixture
def till(shop: Build, make_repository: MakeRepository) -> Repository:
    """A second repository beside the shop."""
    till = "def ring(till):\n    return till.bell()\n"
    return build_of("till", make_repository({"till.py": till})).index.repository


@pytest.fixture
def ada(db: None) -> User:
    """Someone with an account."""
    return User.objects.create_user("ada")


@pytest.fixture
def staff(client: Client, db: None) -> Client:
    """A browser in which someone of the staff is signed in."""
    client.force_login(User.objects.create_user("keeper", is_staff=True))
    return client


@pytest.fixture
def hostile(
    db: None, data_dir: Path, encoder: WordEncoder, hostile_repository: Path
) -> Build:
    """The finished build of the repository of `tests/cases/repository`."""
    return build_of("hostile", hostile_repository)


def build_of(name: str, source: Path) -> Build:
    """Return the finished build of a repository."""
    return build_all(services.register(name=name, source=str(source)))
