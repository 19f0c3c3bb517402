"""An encoder of pairs of questions."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional
from transformers import PretrainedConfig, PreTrainedModel
from transformers.utils import ModelOutput


class PairConfig(PretrainedConfig):
    model_type = "pair"

    def __init__(self, vocabulary=50, width=16, layers=2, pooling="mean", scale=4.0, **options):
        self.vocabulary, self.width, self.layers = vocabulary, width, layers
        self.pooling, self.scale = pooling, scale
        super().__init__(**options)


@dataclass
class PairOutput(ModelOutput):
    loss: torch.Tensor | None = None
    logits: torch.Tensor | None = None


class PairModel(PreTrainedModel):
    config_class = PairConfig

    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocabulary, config.width, padding_idx=0)
        self.layers = nn.ModuleList(
            nn.Linear(config.width, config.width) for _ in range(config.layers)
        )
        self.dropout = nn.Dropout(0.1)
        self.post_init()

    def encode(self, tokens):
        hidden = self.embed(tokens)
        for number, layer in enumerate(self.layers):
            hidden = hidden + self.dropout(layer(hidden).relu()) / (number + 1)
        if self.config.pooling == "mean":
            known = (tokens != 0).float()[..., None]
            return (hidden * known).sum(1) / known.sum(1)
        return hidden.amax(1)

    def forward(self, first, second, labels=None):
        same = functional.cosine_similarity(self.encode(first), self.encode(second))
        logits = self.config.scale * same
        loss = None
        if labels is not None:
            loss = functional.binary_cross_entropy_with_logits(logits, labels)
        return PairOutput(loss=loss, logits=logits)
