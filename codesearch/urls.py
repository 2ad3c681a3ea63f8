"""Every URL of the project, in one place."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import path, register_converter
from django.urls.converters import PathConverter, StringConverter

from codesearch.views import (
    administration,
    alike,
    audit_exports,
    audits,
    case_sets,
    cases,
    comparison,
    completion,
    configs,
    coverage,
    excerpts,
    experiments,
    files,
    hooks,
    imports,
    jobs,
    lines,
    links,
    maps,
    names,
    phrasings,
    profiles,
    queries,
    repositories,
    search,
    shared,
    sides,
    site,
    trace,
    whatif,
)


class FilePathConverter(PathConverter):
    """A path of a Git tree: unlike Django's, it may hold line breaks."""

    regex = r"[^\x00]+"


class NameConverter(StringConverter):
    """A name, revision or token: PostgreSQL refuses to look one with a NUL up."""

    regex = r"[^/\x00]+"


register_converter(FilePathConverter, "file")
register_converter(NameConverter, "name")

handler403 = "codesearch.views.site.forbidden"

urlpatterns = [
    path("", search.search, name="search"),
    path("trace/", trace.trace, name="trace"),
    path("trace/whatif/", whatif.what_if, name="whatif"),
    path("trace/changes/", whatif.changes, name="changes"),
    path("trace/phrasings/", phrasings.phrasings, name="phrasings"),
    path("trace/phrasings/ask/", phrasings.ask, name="ask_phrasings"),
    path("trace/lines/", lines.lines, name="lines"),
    path("like/", alike.like, name="like"),
    path("complete/", completion.complete, name="complete"),
    path("symbols/", trace.symbols, name="symbols"),
    path("audits/", audits.audits, name="audits"),
    path("audits/request/", audits.request_one, name="request_audit"),
    path("audits/<int:pk>/", audits.audit, name="audit"),
    path("audits/<int:pk>/misses/", audits.misses, name="audit_misses"),
    path("audits/<int:pk>/cancel/", audits.cancel, name="cancel_audit"),
    path("audits/<int:pk>/delete/", audits.delete, name="delete_audit"),
    path("cases/", case_sets.case_sets, name="cases"),
    path("cases/save/", cases.save, name="save_case"),
    path("cases/right/", cases.right_one, name="right_one"),
    path("cases/import/", case_sets.import_cases, name="import_cases"),
    path("cases/generate/", case_sets.generate, name="generate_cases"),
    path("cases/<int:pk>/", case_sets.case_set, name="case_set"),
    path("cases/<int:pk>/change/", case_sets.change, name="change_set"),
    path("cases/<int:pk>/delete/", case_sets.delete, name="delete_set"),
    path("cases/<int:pk>/download/", case_sets.download, name="download_set"),
    path("cases/<int:pk>/add/", cases.add, name="add_case"),
    path("cases/<int:pk>/<int:number>/", cases.case, name="case"),
    path("cases/<int:pk>/<int:number>/change/", cases.change, name="change_case"),
    path("cases/<int:pk>/<int:number>/delete/", cases.delete, name="delete_case"),
    path(
        "cases/<int:pk>/refused/<int:number>/", case_sets.refused, name="refused_lines"
    ),
    path(
        "cases/<int:pk>/refused/<int:number>/forget/",
        case_sets.forget,
        name="forget_refused",
    ),
    path("audits/<int:pk>.json", audit_exports.as_json, name="audit_json"),
    path("audits/<int:pk>.csv", audit_exports.as_csv, name="audit_csv"),
    path("audits/<int:pk>/run/", audit_exports.run, name="audit_run"),
    path("audits/<int:pk>/qrels/", audit_exports.qrels, name="audit_qrels"),
    path("compare/", comparison.compare, name="compare"),
    path("audits/import/", imports.import_audit, name="import_audit"),
    path("compare/profiles/", sides.profiles, name="compare_profiles"),
    path("compare/profiles/index/", sides.index_profile, name="index_profile"),
    path("experiments/", experiments.experiments, name="experiments"),
    path("experiments/start/", experiments.start, name="start_experiment"),
    path("experiments/<name:token>/", experiments.experiment, name="experiment"),
    path(
        "experiments/<name:token>/cancel/", experiments.cancel, name="cancel_experiment"
    ),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<int:pk>/", jobs.job, name="job"),
    path("jobs/<int:pk>/cancel/", jobs.cancel, name="cancel_job"),
    path("jobs/<int:pk>/retry/", jobs.retry, name="retry_job"),
    path("jobs/<int:pk>/again/", jobs.again, name="index_again"),
    path("repositories/", repositories.repositories, name="repositories"),
    path("repositories/add/", administration.add, name="add_repository"),
    path("repositories/<name:name>/card/", repositories.card, name="card"),
    path("repositories/<name:name>/progress/", repositories.progress, name="progress"),
    path("repositories/<name:name>/build/", repositories.build, name="build"),
    path("repositories/<name:name>/cancel/", repositories.cancel, name="cancel"),
    path("r/<name:name>/", repositories.repository, name="repository"),
    path("r/<name:name>/settings/", administration.change, name="repository_settings"),
    path("r/<name:name>/remove/", administration.remove, name="remove_repository"),
    path("r/<name:name>/coverage/", coverage.coverage, name="coverage"),
    path("r/<name:name>/blob/<name:revision>/<file:path>", files.blob, name="blob"),
    path("r/<name:name>/tree/<name:revision>/", files.tree, name="tree"),
    path("r/<name:name>/tree/<name:revision>/<file:path>", files.tree, name="folder"),
    path("r/<name:name>/raw/<name:revision>/<file:path>", files.raw, name="raw"),
    path(
        "r/<name:name>/excerpt/<name:revision>/<file:path>",
        excerpts.excerpt,
        name="excerpt",
    ),
    path(
        "r/<name:name>/inspect/<name:revision>/<file:path>",
        files.inspect,
        name="inspect",
    ),
    path("r/<name:name>/names/<name:revision>/", names.names, name="names"),
    path("r/<name:name>/uses/<name:revision>/", names.uses, name="uses"),
    path("r/<name:name>/map/<name:revision>/<file:path>", maps.chunk_map, name="map"),
    path("hooks/<name:name>/", hooks.hook, name="hook"),
    path("s/", links.links, name="links"),
    path("s/<name:token>", shared.shared, name="shared"),
    path("s/<name:token>/revoke/", links.revoke, name="revoke_link"),
    path("s/<name:token>/extend/", links.extend, name="extend_link"),
    path("share/", links.share, name="share"),
    path("configs/", configs.configs, name="configs"),
    path("configs/add/", configs.add, name="add_config"),
    path("configs/default/", configs.default, name="default_config"),
    path("configs/<slug:name>/", configs.change, name="change_config"),
    path("configs/<slug:name>/delete/", configs.delete, name="delete_config"),
    path("profiles/", profiles.profiles, name="profiles"),
    path("profiles/add/", profiles.add, name="add_profile"),
    path("profiles/<slug:name>/", profiles.change, name="change_profile"),
    path("profiles/<slug:name>/delete/", profiles.delete, name="delete_profile"),
    path("profiles/<slug:name>/index/", profiles.index, name="index_with_profile"),
    path("queries/", queries.queries, name="queries"),
    path("queries/forget/", queries.forget, name="forget_queries"),
    path("help/", site.help_page, name="help"),
    path("theme/", site.theme, name="theme"),
    path("accounts/login/", auth_views.LoginView.as_view(), name="login"),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("healthz", site.healthz, name="healthz"),
    path("readyz", site.readyz, name="readyz"),
]
