"""Django admin of profiles: which chunker and which model an index is made with."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from indexer import services
from indexer.forms import EMBEDDER, ProfileForm
from indexer.models import Build, Index, Profile
from indexer.profile_words import changed_words, model_words


class ProfileAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not at run time
    """How repositories are indexed. A change builds its indexes anew."""

    form = ProfileForm
    list_display = ["name", "chunker", "embedder", "reads", "indexes"]
    fieldsets = [
        (None, {"fields": ["name", "chunker"]}),
        (
            "Embedder",
            {
                "fields": EMBEDDER,
                "description": "Which model makes the vectors, and how. A change "
                "builds every index of this profile anew; until that is done, "
                "searches read what was made before.",
            },
        ),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Profile]:
        """Return profiles with their indexes and the builds of those."""
        builds = Prefetch("builds", Build.objects.order_by("-pk"))
        indexes = Prefetch("indexes", Index.objects.prefetch_related(builds))
        return super().get_queryset(request).prefetch_related(indexes)

    @admin.display
    def embedder(self, profile: Profile) -> str:
        """Return its model, with the revision."""
        model = model_words(profile)
        return model if profile.model else f"{model} (CODESEARCH_MODEL)"

    @admin.display(description="differs from the model in")
    def reads(self, profile: Profile) -> str:
        """Return what of the model's own was changed, in a few words."""
        return ", ".join(changed_words(profile)) or "-"

    @admin.display
    def indexes(self, profile: Profile) -> str:
        """Return how many indexes it has, and how many are not up to it yet."""
        indexes = list(profile.indexes.all())
        newest = [next(iter(index.builds.all()), None) for index in indexes]
        current = sum(
            build is not None
            and build.status == Build.Status.READY
            and build.recipe == profile.recipe
            for build in newest
        )
        waiting = len(indexes) - current
        return f"{len(indexes)}, {waiting} to be built" if waiting else f"{current}"

    def save_model(
        self,
        request: HttpRequest,
        obj: Profile,
        form: ModelForm[Profile],
        change: bool,
    ) -> None:
        """Save a profile, and build anew what it was changed under."""
        super().save_model(request, obj, form, change)
        if count := services.rebuild_profile(profile=obj):
            self.message_user(
                request,
                format_html(
                    "{} built anew; until that is done, searches read what was made "
                    'before. <a href="{}">Repositories</a> shows the progress.',
                    "1 index is" if count == 1 else f"{count} indexes are",
                    reverse("repositories"),
                ),
            )
