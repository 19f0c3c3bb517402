"""A small encoder with a head for the classes of tickets."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class TriageConfig:
    vocab_size: int = 400
    hidden_size: int = 32
    num_attention_heads: int = 2
    num_hidden_layers: int = 2
    max_position_embeddings: int = 48
    type_vocab_size: int = 2
    num_labels: int = 3
    pad_token_id: int = 0


@dataclass
class SequenceClassifierOutput:
    loss: torch.Tensor | None
    logits: torch.Tensor


class TriageEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size)
        self.register_buffer("position_ids", torch.arange(config.max_position_embeddings)[None])

    def forward(self, input_ids, token_type_ids=None):
        hidden = self.word_embeddings(input_ids)
        hidden = hidden + self.position_embeddings(self.position_ids[:, : input_ids.shape[1]])
        if token_type_ids is not None:
            hidden = hidden + self.token_type_embeddings(token_type_ids)
        return self.LayerNorm(hidden)


class TriageForSequenceClassification(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = TriageEmbeddings(config)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                config.hidden_size,
                config.num_attention_heads,
                2 * config.hidden_size,
                dropout=0.0,
                batch_first=True,
            )
            for _ in range(config.num_hidden_layers)
        )
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)

    def forward(self, input_ids, attention_mask, token_type_ids=None, labels=None):
        hidden = self.embeddings(input_ids, token_type_ids)
        padding = torch.zeros_like(attention_mask, dtype=hidden.dtype)
        padding = padding.masked_fill(attention_mask == 0, float("-inf"))
        for layer in self.layers:
            hidden = layer(hidden, src_key_padding_mask=padding)
        logits = self.classifier(hidden[:, 0])
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)
