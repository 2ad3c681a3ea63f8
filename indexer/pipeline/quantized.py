"""Quantised: a transformer of 8-bit weights, computed by onnxruntime.

Activations are quantised as they come, with a scale for the whole input, so that a
vector would depend on the texts computed along with it. Each text is computed by
itself therefore: that is also the fastest, and the same bits on any number of threads.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.pipeline.encoder import Floats, Reading, in_threads
from indexer.pipeline.loading import ModelError

if TYPE_CHECKING:
    from onnx import ModelProto
    from onnxruntime import InferenceSession


class Int8Runtime:
    """A session on one thread, shared by the threads that run texts through it.

    `pooling` is mean or cls; without `include_prompt` it begins after the prompt.
    """

    def __init__(
        self,
        session: InferenceSession,
        *,
        pooling: str,
        include_prompt: bool,
        threads: int = 1,
    ) -> None:
        self._session = session
        self._pooling = pooling
        self._include_prompt = include_prompt
        self._threads = threads

    def rows(self, reading: Reading) -> Floats:
        """Return one row a text, as `Runtime` says."""
        start = 0 if self._include_prompt else reading.prompt_tokens
        order = reading.longest_first()  # A long one at the end would be waited for.
        rows = in_threads(
            lambda i: self._pool(self._run(reading.ids[i])[start:]),
            order,
            self._threads,
        )
        return np.stack(rows)[np.argsort(order)]

    def token_rows(self, reading: Reading) -> Floats | None:
        """Return the rows of one text's tokens, as `Runtime` says."""
        if self._pooling != "mean" or not self._include_prompt:
            return None
        return self._run(reading.ids[0])

    def _pool(self, rows: Floats) -> Floats:
        pooled: Floats = rows.mean(axis=0) if self._pooling == "mean" else rows[0]
        return pooled

    def _run(self, ids: object) -> Floats:
        (found,) = self._session.run(None, {"input_ids": np.array([ids], np.int64)})
        rows: Floats = np.asarray(found, np.float32)[0]
        return rows


def onnx_versions() -> dict[str, str]:
    """Return the versions of what quantised models need, empty if any is missing."""
    names = ("onnx", "onnxruntime")
    if any(importlib.util.find_spec(name) is None for name in names):
        return {}
    return {name: importlib.metadata.version(name) for name in names}


def quantize(source: Path, target: Path) -> None:
    """Write an ONNX model with 8-bit weights, a scale for each output of a layer.

    Embeddings stay as they are: they are looked up, which 8 bits do not speed up.
    Raises ModelError.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    logger = logging.getLogger()
    try:
        logger.disabled = True  # It advises a step that makes no difference here.
        quantize_dynamic(
            source,
            target,
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul"],
            nodes_to_exclude=_most_sensitive(onnx.load(source)),
        )
    except Exception as error:  # Foreign models: whatever it does not know of.
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise ModelError(f"it cannot be quantised: {reason}") from error
    finally:
        logger.disabled = False


def _most_sensitive(model: ModelProto) -> list[str]:
    """Return the first multiplication that narrows: that out of the first block.

    In 8 bits it alone makes a fourth of the error in all-MiniLM-L6-v2, at an
    eighteenth of the work: the lowest cosine of the sample is .973 with it, .982
    without.
    """
    shapes = {found.name: tuple(found.dims) for found in model.graph.initializer}
    for node in model.graph.node:
        shape = shapes.get(node.input[-1], ()) if node.op_type == "MatMul" else ()
        if len(shape) == 2 and shape[0] > shape[1]:
            return [node.name]
    return []


def open_session(path: Path) -> InferenceSession:
    """Return the ONNX model in a file, on one thread that never spins.

    Raises ModelError.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # Its errors have no class of their own.
        reason = str(error).strip().partition("\n")[0]
        raise ModelError(f"{path.name} cannot be opened: {reason}") from error
