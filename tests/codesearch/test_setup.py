"""`setup` makes one administrator, says the password once, and may run again."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db


def run_setup() -> str:
    output = StringIO()
    call_command("setup", stdout=output)
    return output.getvalue()


def test_the_password_that_is_printed_opens_the_admin() -> None:
    password = re.search(r"password +(\S+)", run_setup())

    user = User.objects.get()
    assert user.username == "admin"
    assert user.is_superuser
    assert password is not None
    assert user.check_password(password[1])


def test_it_is_printed_once() -> None:
    run_setup()

    assert run_setup() == ""
    assert User.objects.count() == 1


def test_another_administrator_is_enough() -> None:
    User.objects.create_superuser("someone", password="x")  # noqa: S106

    assert run_setup() == ""
    assert User.objects.get().username == "someone"


def test_a_taken_name_is_a_sentence() -> None:
    User.objects.create_user("admin")

    with pytest.raises(CommandError, match="the user name admin is taken"):
        run_setup()
