"""Django admin: the cases that were saved."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from codesearch.models import Case


@admin.register(Case)
class CaseAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not at run time
    """Read cases, change what is expected of them, remove them."""

    list_display = ["query", "targets", "expected", "created_by", "created_at"]
    list_filter = ["expected", "case_set"]
    search_fields = ["query", "note"]
    fields = ["case_set", "key", "query", "targets", "expected", "note"]
    readonly_fields = ["case_set", "key", "query", "targets"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: a case is saved from a trace, which shows what it asks."""
        return False
