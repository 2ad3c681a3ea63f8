"""Pasted stack traces of many languages become frames, newest first, and words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.stack_trace import (
    MOST_FRAMES,
    Frame,
    read_stack,
    shorten_stack,
)

PYTHON = """Traceback (most recent call last):
  File "/srv/shop/billing/money.py", line 8, in format_money
    return f"{amount}"
  File "/srv/shop/billing/rates.py", line 3, in rate
    return RATES[name]
billing.RateError: no rate for "EUR" OR none
"""
JAVA = """Exception in thread "main" java.lang.RuntimeException: outer
\tat com.shop.billing.Money.format(Money.java:12)
Caused by: java.io.IOException: no rate
\tat com.shop.Rates.read(Rates.java:40)
"""
NODE = """TypeError: rate is undefined
    at formatMoney (/srv/shop/src/money.js:12:5)
    at async file:///srv/shop/src/main.mjs:3:1
"""
GO = """panic: no rate for euro

goroutine 1 [running]:
main.rate(...)
\t/srv/shop/rates.go:7 +0x1d
"""
RUST = """thread 'main' panicked at src/rates.rs:4:9:
no rate for euro
stack backtrace:
   2: shop::rate
             at ./src/rates.rs:4:9
"""
SHARP = r"""Unhandled exception. System.IO.IOException: no rate
   at Shop.Money.Format(String name) in C:\shop\src\Money.cs:line 12
"""
GDB = """Program received signal SIGSEGV, Segmentation fault.
#0  0x00005555 in rate (name=0x0) at src/rates.c:12
#1  0x00005556 in main () at src/main.c:3
"""


@pytest.mark.parametrize(
    ("text", "frames", "query"),
    [
        (
            PYTHON,
            [
                Frame("/srv/shop/billing/rates.py", 3, "rate"),
                Frame("/srv/shop/billing/money.py", 8, "format_money"),
            ],
            "billing.RateError no rate EUR none",
        ),
        (
            r'File "C:\shop\money.py", line 8, in pay',
            [Frame("C:/shop/money.py", 8, "pay")],
            "pay",
        ),
        (
            JAVA,
            [
                Frame(
                    "com/shop/billing/Money.java", 12, "com.shop.billing.Money.format"
                ),
                Frame("com/shop/Rates.java", 40, "com.shop.Rates.read"),
            ],
            "java.io.IOException no rate",
        ),
        (
            NODE,
            [
                Frame("/srv/shop/src/money.js", 12, "formatMoney"),
                Frame("/srv/shop/src/main.mjs", 3, ""),
            ],
            "TypeError rate undefined",
        ),
        (GO, [Frame("/srv/shop/rates.go", 7, "")], "no rate euro"),
        (RUST, [Frame("src/rates.rs", 4, "")], "no rate euro"),
        (
            SHARP,
            [Frame("C:/shop/src/Money.cs", 12, "Shop.Money.Format")],
            "System.IO.IOException no rate",
        ),
        (
            GDB,
            [Frame("src/rates.c", 12, "rate"), Frame("src/main.c", 3, "main")],
            "Program received signal SIGSEGV Segmentation fault",
        ),
    ],
)
def test_frames_and_what_was_raised_are_read(
    text: str, frames: list[Frame], query: str
) -> None:
    found = read_stack(text)

    assert found is not None
    assert list(found.frames) == frames
    assert found.query == query


@pytest.mark.parametrize("text", [PYTHON, JAVA, NODE, GO, RUST, GDB])
def test_a_trace_without_line_ends_is_read_the_same(text: str) -> None:
    joined, whole = read_stack(" ".join(text.split("\n"))), read_stack(text)

    assert joined is not None
    assert joined == whole


@pytest.mark.parametrize(
    "text", ["format money", "look at money.py:12", 'File "x"', "at home (12)", ""]
)
def test_other_text_is_no_trace(text: str) -> None:
    assert read_stack(text) is None


@pytest.mark.parametrize("unit", ["at a", "at a(", 'File "a', "#0 a (", "a.go:1", "a/"])
def test_long_text_that_nearly_is_a_trace_is_read(unit: str) -> None:
    assert read_stack(unit * 5000) is None


@given(st.lists(st.sampled_from([*PYTHON, "at ", 'File "a", line 1', "#0 ", ".go:1 "])))
def test_any_text_is_read_or_not_and_never_fails(parts: list[str]) -> None:
    found = read_stack("".join(parts))

    assert found is None or 1 <= len(found.frames) <= MOST_FRAMES
    assert found is None or found.query


@pytest.mark.parametrize("text", [PYTHON, JAVA, NODE, GO, RUST, SHARP, GDB])
def test_a_shortened_trace_is_read_as_the_same_one(text: str) -> None:
    found = read_stack(text)
    assert found is not None

    again = read_stack(shorten_stack(found, 2000))

    assert again is not None
    assert again.query == found.query
    assert [(one.path, one.line) for one in again.frames] == [
        (one.path, one.line) for one in found.frames
    ]


def test_the_oldest_frames_make_room() -> None:
    found = read_stack(PYTHON)
    assert found is not None

    short = shorten_stack(found, 110)

    assert len(short) <= 110
    assert short.startswith('File "/srv/shop/billing/rates.py", line 3, in rate')
    assert short.endswith('billing.RateError: no rate for "EUR" OR none')
