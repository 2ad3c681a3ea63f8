"""Builds: which of a repository an experiment asks, and how they are opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from codesearch.corpora import Searched, current_builds, open_corpus
from codesearch.errors import NothingIndexed
from codesearch.experiments.bench import Bench
from codesearch.experiments.types import Finding, Json
from codesearch.models import Experiment
from indexer import encoders
from indexer.access import COMMAND_LINE, Viewer, readable
from indexer.inspection import hides_texts
from indexer.models import Build, Index, Profile
from indexer.pipeline.loading import ModelError
from indexer.pipeline.store import read_manifest
from indexer.places import lexical_folder

WINDOW = Profile.Chunker.WINDOW
HIDDEN = (
    "The texts of {} are hidden: it was indexed with secrets, which are off now. Index "
    "it again."
)
UNMADE = "The index of {} is still being made; try again when it is complete."
WINDOWLESS = (
    "{0} has no index by window. Make one: on the page Profiles side by side, or with "
    "manage.py index SOURCE --name {0} --profile window."
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The build to ask, and that of windows where they are compared with it."""

    build: Build
    windows: Build | None = None

    @property
    def all(self) -> list[Build]:
        """Both builds, the windows last."""
        return [self.build, *([self.windows] if self.windows else [])]

    @property
    def layers(self) -> list[list[object]]:
        """What the result depends on: each build with its vectors."""
        return [[one.pk, one.vectors_done, one.fingerprint] for one in self.all]

    @property
    def holds_secrets(self) -> bool:
        """True if a build was indexed with secrets."""
        manifests = [read_manifest(lexical_folder(one)) for one in self.all]
        return any(manifest.get("index_secrets") for manifest in manifests)

    @property
    def header(self) -> Json:
        """What a result says of the builds that were asked."""
        return {
            "builds": [
                {
                    "id": one.pk,
                    "repository_id": one.index.repository_id,
                    "revision": one.revision,
                    "profile": one.index.profile.name,
                    "chunks": one.chunk_count,
                    "vectors": one.vectors_done,
                    "fingerprint": one.fingerprint,
                    "model": _model_of(one),
                }
                for one in self.all
            ]
        }


def profile_names(viewer: Viewer, repository: str) -> list[str]:
    """Return the profiles by symbol that a repository in reach is indexed under."""
    indexes = Index.objects.filter(
        repository__in=readable(viewer),
        repository__name=repository,
        current_build__isnull=False,
    ).exclude(profile__chunker=WINDOW)
    return list(indexes.values_list("profile__name", flat=True))


def _model_of(build: Build) -> str:
    """Return the name of the model of a build's vectors, "" without any."""
    path = PurePath(build.embedder.model)
    name = path.name if path.is_absolute() else build.embedder.model
    return name if build.fingerprint else ""


def choose_builds(
    viewer: Viewer, finding: Finding, repository: str, profile: str = ""
) -> Chosen:
    """Return the complete builds that a finding needs, in `viewer`'s reach.

    Raises SearchError that says what is missing.
    """
    build = _complete(viewer, repository, profile)
    if build is None:
        kind = f"{profile} index" if profile else "index"
        raise NothingIndexed(f"{repository} has no {kind} yet.")
    if build.recipe.get("chunker") == WINDOW:
        raise NothingIndexed("An experiment asks an index by symbol; choose one.")
    if "vectors" in finding.needs and not build.fingerprint:
        raise NothingIndexed(f"{repository} has no vectors, which this compares.")
    if "windows" not in finding.needs:
        return Chosen(build)
    windows = _window_build(viewer, repository)
    if windows is None:
        raise NothingIndexed(WINDOWLESS.format(repository))
    if windows.revision != build.revision:
        raise NothingIndexed(
            f"{repository} is indexed by window at {windows.revision[:12]} and by "
            f"symbol at {build.revision[:12]}; index both again."
        )
    return Chosen(build, windows)


def _window_build(viewer: Viewer, repository: str) -> Build | None:
    names = Profile.objects.filter(chunker=WINDOW).order_by("name")
    for name in names.values_list("name", flat=True):
        if build := _complete(viewer, repository, name):
            return build
    return None


def _complete(viewer: Viewer, repository: str, profile: str) -> Build | None:
    builds = current_builds(viewer, [repository], profile or None)
    for build in builds:
        if build.status != Build.Status.READY:
            raise NothingIndexed(UNMADE.format(repository))
        if hides_texts(build, lexical_folder(build)):
            raise NothingIndexed(HIDDEN.format(repository))
        return build
    return None


def open_bench(experiment: Experiment, finding: Finding) -> Bench:
    """Open the builds that an experiment was asked of. Raises SearchError, ModelError.

    Who may read them was checked when it was asked for, and is again when it is read.
    """
    keys = [build["id"] for build in experiment.header["builds"]]
    rows = Build.objects.filter(pk__in=keys).select_related(
        "index__repository", "index__profile"
    )
    builds = {build.pk: build for build in rows}
    if len(builds) < len(keys):
        raise NothingIndexed(
            "A build that was asked has been replaced meanwhile; start it again."
        )
    opened: list[Searched] = [
        open_corpus([builds[key]], viewer=COMMAND_LINE, is_pinned=True) for key in keys
    ]
    encoder = None
    if "vectors" in finding.needs:
        build = builds[keys[0]]
        encoder, missing = encoders.encoder_of(build.embedder, build.fingerprint)
        if encoder is None:
            raise ModelError(f"The vectors cannot be compared: {missing}.")
        for searched in opened:
            if searched.encoders[0].encode is None:
                raise ModelError(
                    f"The vectors cannot be compared: {searched.encoders[0].missing}."
                )
    windows = opened[1] if len(opened) > 1 else None
    return Bench(opened[0], windows, encoder, experiment.target)
