"""Building: one step of one build, safe to repeat, published by one row.

First the lexical layer, which makes the build searchable; a first build is searched
while it is read, as far as it is. Then the texts for exact search, and vectors in
batches, summaries and purposes before bodies. A step that dies leaves nothing behind
but files without a row and what is in the caches, and the next worker repeats what is
missing.
"""

from __future__ import annotations

from indexer.engines.layers import check_format
from indexer.errors import IndexingError
from indexer.exact import keep_texts
from indexer.leases import MAX_ATTEMPTS, Lease
from indexer.lexical import make_lexical_layer
from indexer.limits import check_room, deaths_sentence
from indexer.mending import mend_mirror
from indexer.models import Build, Layer
from indexer.pipeline import store
from indexer.pipeline.git_command import GitError
from indexer.pipeline.loading import ModelError
from indexer.pipeline.parsing import GrammarError
from indexer.pipeline.vectors import VectorError
from indexer.places import lexical_folder
from indexer.vectors import make_vector_layers

# What a step raises with a sentence for people; anything else is a bug.
EXPECTED = (GitError, store.LayerError, GrammarError, ModelError, VectorError)


def advance(build: Build, lease: Lease) -> bool:
    """Do the next step of `build`; return whether there is another.

    Raises IndexingError when the build cannot be made, LeaseLost when someone
    else has it now.
    """
    if build.attempts >= MAX_ATTEMPTS:
        raise IndexingError(deaths_sentence(build))
    check_room()
    try:
        is_begun = build.layers.filter(kind=Layer.Kind.LEXICAL).exists()
        if build.previewed or not is_begun:
            make_lexical_layer(build, lease)
            return True
        # Begun by an earlier version, it would be complete and unreadable.
        check_format(lexical_folder(build))
        if build.stage == Build.Stage.LEXICAL and not keep_texts(build, lease):
            return True
        return make_vector_layers(build, lease)
    except EXPECTED as error:
        if isinstance(error, GitError) and mend_mirror(build, error):
            return True
        raise IndexingError(str(error)) from error
