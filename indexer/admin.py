"""Django admin: register, rename, index and remove repositories; watch builds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import InlineModelAdmin
from django.db.models import Prefetch, QuerySet
from django.forms import BaseModelFormSet, ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.html import format_html

from indexer import progress, removal, services
from indexer.errors import IndexingError
from indexer.forms import NewRepositoryForm, RepositoryForm
from indexer.ledger import describe_counts, ledger_counts, ledger_groups
from indexer.models import BadBlob, Build, Index, Profile, Repository
from indexer.newest import names_of
from indexer.places import disk_usage
from indexer.profile_admin import ProfileAdmin

SHORT_REVISION = 12


def summarise(build: Build | None) -> str:
    """Return where a build stands, in a few words."""
    if build is None:
        return "not indexed yet"
    if build.status == Build.Status.FAILED:
        return f"failed: {build.failure}"
    if build.status == Build.Status.RUNNING:
        return f"running: {build.stage}"
    return build.status


def progress_of(build: Build | None) -> str:
    """Return how far a build is: files while it reads, vectors afterwards."""
    if build is None:
        return "-"
    if build.lexical_at is None or build.previewed:
        return f"{build.files_done} of {build.file_count} files"
    return f"{build.vectors_done} of {build.vector_count} vectors"


class IndexInline(admin.TabularInline):  # type: ignore[type-arg]  # not at run time
    """A repository's profiles: add one, remove one with its builds."""

    model = Index
    extra = 0
    fields = ["profile", "is_default", "state"]
    readonly_fields = ["is_default", "state"]
    verbose_name = "profile"
    verbose_name_plural = "profiles"

    def has_change_permission(
        self, request: HttpRequest, obj: Repository | None = None
    ) -> bool:
        """Return False: another profile is another index, with its own builds."""
        return False

    @admin.display(description="newest build")
    def state(self, index: Index) -> str:
        """Return where the newest build of the index stands."""
        return summarise(index.builds.order_by("-pk").first())


@admin.register(Repository)
class RepositoryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not at run time
    """Register, rename, index and remove repositories."""

    list_display = ["name", "source", "visibility", "status", "revision", "progress"]
    list_filter = ["visibility"]
    search_fields = ["name", "source"]
    inlines = [IndexInline]
    actions = ["index_now"]
    change_form_template = "admin/indexer/repository/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Repository]:
        """Return repositories with their indexes and builds, the newest first."""
        builds = Prefetch("builds", Build.objects.order_by("-pk"))
        indexes = Index.objects.select_related("current_build").prefetch_related(builds)
        return (
            super().get_queryset(request).prefetch_related(Prefetch("indexes", indexes))
        )

    def get_form(
        self,
        request: HttpRequest,
        obj: Repository | None = None,
        change: bool = False,
        **kwargs: Any,  # Any: Django's own signature, here and below
    ) -> type[ModelForm[Repository]]:
        """Return the form that asks for the first profile, or the one that does not."""
        kwargs["form"] = NewRepositoryForm if obj is None else RepositoryForm
        return super().get_form(request, obj, change, **kwargs)

    def get_fields(
        self, request: HttpRequest, obj: Repository | None = None
    ) -> list[Any]:
        """Return the fields of the form, and for a known repository its disk space."""
        fields = ["name", "source", "branch", "visibility", "index_secrets"]
        if obj is None:
            return [*fields, "fetch_minutes", "profile"]
        kept = ["default", "kept_builds", "fetch_minutes", "host_url", "local_root"]
        if self.has_change_permission(request, obj):  # Others would read it.
            kept.append("hook_secret")
        return [*fields, *kept, *self.get_readonly_fields(request, obj)]

    def get_readonly_fields(
        self, request: HttpRequest, obj: Repository | None = None
    ) -> list[str]:
        """Return what is shown and not edited."""
        return [] if obj is None else ["hook", "fetched", "coverage", "disk"]

    def get_inlines(
        self, request: HttpRequest, obj: Repository | None
    ) -> list[type[InlineModelAdmin[Any, Any]]]:
        """Return the profiles, once the repository exists."""
        return [] if obj is None else [IndexInline]

    @admin.display
    def status(self, repository: Repository) -> str:
        """Return where the newest build of the default index stands."""
        return summarise(newest_build(repository))

    @admin.display
    def revision(self, repository: Repository) -> str:
        """Return the commit that searches read, shortened."""
        index = default_index(repository)
        current = index.current_build if index else None
        return current.revision[:SHORT_REVISION] if current else "-"

    @admin.display
    def progress(self, repository: Repository) -> str:
        """Return how far the newest build is."""
        return progress_of(newest_build(repository))

    @admin.display(description="webhook address")
    def hook(self, repository: Repository) -> str:
        """Return the path that its host tells of pushes, below this site's address."""
        return reverse("hook", args=[repository.name])

    @admin.display(description="last fetched")
    def fetched(self, repository: Repository) -> str:
        """Return what the source held, when that was, and why it failed since."""
        when = "never"
        if repository.fetched_at:
            revision = repository.fetched_revision[:SHORT_REVISION]
            when = f"{revision} on {repository.fetched_at:%Y-%m-%d %H:%M} UTC"
        return f"{when}. {repository.fetch_failure}".strip()

    @admin.display(description="files")
    def coverage(self, repository: Repository) -> str:
        """Return how many files are indexed, as a link to the list of all."""
        index = default_index(repository)
        current = index.current_build if index else None
        if current is None:
            return "-"
        counts = ledger_counts(ledger_groups(current))
        return format_html(
            '<a href="{}">{}</a>',
            reverse("coverage", args=[repository.name]),
            describe_counts(counts),
        )

    @admin.display(description="disk space")
    def disk(self, repository: Repository) -> str:
        """Return what the mirror and all builds take."""
        return filesizeformat(disk_usage(repository))

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a refusal by the indexer as a message instead of a server error."""
        known = self.get_object(request, object_id) if object_id else None
        context = {"revisions": names_of(known) if known else ()}
        try:
            return super().changeform_view(
                request, object_id, form_url, {**context, **(extra_context or {})}
            )
        except IndexingError as error:
            self.message_user(request, str(error), messages.ERROR)
            return HttpResponseRedirect(request.path)

    def save_model(
        self,
        request: HttpRequest,
        obj: Repository,
        form: ModelForm[Repository],
        change: bool,
    ) -> None:
        """Register a new repository; save the fields of a known one."""
        if change:
            services.change_repository(
                repository=obj,
                changed=set(form.changed_data),
                new_secret="_secret" in request.POST,
            )
            if default := form.cleaned_data.get("default"):
                services.choose_default(index=default)
            return
        index = services.register(
            name=obj.name,
            source=obj.source,
            branch=obj.branch,
            visibility=obj.visibility,
            index_secrets=obj.index_secrets,
            fetch_minutes=obj.fetch_minutes,
            profile=form.cleaned_data["profile"].name,
        )
        obj.pk = index.repository_id
        obj.refresh_from_db()

    def save_formset(
        self,
        request: HttpRequest,
        form: ModelForm[Repository],
        formset: BaseModelFormSet[Any, Any],
        change: bool,
    ) -> None:
        """Add and remove profiles through the services."""
        for index in formset.save(commit=False):
            services.add_index(repository=form.instance, profile=index.profile.name)
        for index in formset.deleted_objects:
            removal.remove_index(index=index)

    def response_add(
        self,
        request: HttpRequest,
        obj: Repository,
        post_url_continue: str | None = None,
    ) -> HttpResponse:
        """Index at once when that button was pressed."""
        self._index_if_asked(request, obj)
        return super().response_add(request, obj, post_url_continue)

    def response_change(self, request: HttpRequest, obj: Repository) -> HttpResponse:
        """Index at once, or show the new secret, when that button was pressed."""
        self._index_if_asked(request, obj)
        if "_secret" in request.POST:
            self.message_user(
                request, "The webhook secret is new: copy it to the host."
            )
            return HttpResponseRedirect(request.path)
        return super().response_change(request, obj)

    def _index_if_asked(self, request: HttpRequest, obj: Repository) -> None:
        if "_index" in request.POST:
            revision = request.POST.get("_revision", "").strip()
            self._index(request, Repository.objects.filter(pk=obj.pk), revision)

    @admin.action(description="Index now", permissions=["change"])
    def index_now(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Ask for a build of every index of the chosen repositories."""
        self._index(request, queryset, "")

    def _index(
        self, request: HttpRequest, queryset: QuerySet[Repository], revision: str
    ) -> None:
        for index in Index.objects.filter(repository__in=queryset.order_by()):
            services.request_build(index=index, revision=revision)
        names = ", ".join(queryset.values_list("name", flat=True))
        self.message_user(
            request,
            format_html(
                'Indexing {}. <a href="{}">Jobs</a> shows the progress.',
                names,
                reverse("jobs"),
            ),
        )

    def delete_model(self, request: HttpRequest, obj: Repository) -> None:
        """Remove a repository with its disk space."""
        removal.remove_repository(repository=obj)

    def delete_queryset(
        self, request: HttpRequest, queryset: QuerySet[Repository]
    ) -> None:
        """Remove the chosen repositories with their disk space."""
        for repository in queryset:
            removal.remove_repository(repository=repository)

    def get_deleted_objects(
        self, objs: Sequence[Any] | QuerySet[Any], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """List repositories and builds only: a build may have 100,000 chunks."""
        repositories = list(objs)
        builds = Build.objects.filter(index__repository__in=repositories).count()
        lines = [
            f"{repository} ({self.disk(repository)} on disk)"
            for repository in repositories
        ]
        counts = {"repositories": len(repositories), "builds": builds}
        allowed = self.has_delete_permission(request)
        return lines, counts, set() if allowed else {"repository"}, []


def default_index(repository: Repository) -> Index | None:
    """Return the index that is searched by default, without a further query."""
    return next((i for i in repository.indexes.all() if i.is_default), None)


def newest_build(repository: Repository) -> Build | None:
    """Return the newest build of the default index, without a further query."""
    index = default_index(repository)
    return next(iter(index.builds.all()), None) if index else None


@admin.register(Build)
class BuildAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not at run time
    """Builds as they are; they can be stopped, not edited."""

    list_display = ["index", "created_at", "state", "short_revision", "job"]
    list_filter = ["status", "index__repository"]
    list_select_related = ["index__repository", "index__profile"]
    actions = ["cancel"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: "Index now" makes builds."""
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: Build | None = None
    ) -> bool:
        """Return False: a build is immutable."""
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: Build | None = None
    ) -> bool:
        """Return False: old builds go by themselves, the others with their index."""
        return False

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """Return whether this user may start and stop builds."""
        return request.user.has_perm("indexer.change_repository")

    @admin.display
    def state(self, build: Build) -> str:
        """Return where it stands."""
        return summarise(build)

    @admin.display(description="revision")
    def short_revision(self, build: Build) -> str:
        """Return its commit, shortened."""
        return build.revision[:SHORT_REVISION] or "-"

    @admin.display(description="progress")
    def job(self, build: Build) -> str:
        """Return how far it is, as a link to its log."""
        url = reverse("job", args=[build.pk])
        return format_html('<a href="{}">{}</a>', url, progress_of(build))

    @admin.action(description="Cancel", permissions=["cancel"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Build]) -> None:
        """Stop the chosen builds; what was published before stays searchable."""
        for build in queryset.filter(status__in=Build.ACTIVE):
            progress.cancel_build(build=build)


admin.site.register(Profile, ProfileAdmin)


@admin.register(BadBlob)
class BadBlobAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not at run time
    """Content that is not parsed any more; deleting a line lets it be tried again."""

    list_display = ["oid", "reason", "grammars", "seen_at"]
    list_filter = ["reason"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: builds find bad content by themselves."""
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: BadBlob | None = None
    ) -> bool:
        """Return False: what happened is not edited."""
        return False
