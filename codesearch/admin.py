"""Django admin: the cases that were saved."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from codesearch.models import Case


@admin.register(Case)
class CaseAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not at run time
    """Read cases, change what is expected of them, remove them."""

    list_display = ["query", "targets", "expected", "created_by", "created_at"]
    list_filter = ["expected", "repositories"]
    search_fields = ["query", "note"]
    fields = ["query", "targets", "repositories", "profile", "expected", "note"]
    readonly_fields = ["query", "targets", "repositories", "profile"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: a case is saved from a trace, which shows what it asks."""
        return False
