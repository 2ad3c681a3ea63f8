"""Paging: which page of a list is shown, and how many there are."""

from __future__ import annotations


def find_page(wanted: int, count: int, size: int) -> tuple[int, int]:
    """Return the page that is shown, the last there is at most, and how many there are.

    Of a list of `count` rows, `size` on a page; from 1, also without any row.
    """
    pages = count_pages(count, size)
    return min(wanted, pages), pages


def count_pages(count: int, size: int) -> int:
    """Return how many pages a list of `count` rows has, at least 1."""
    return max(1, -(-count // size))
