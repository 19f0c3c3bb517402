from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class SequenceClassifierOutput:
    logits: torch.Tensor
    loss: torch.Tensor | None = None


class TinyBertLayer(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.attention = nn.MultiheadAttention(hidden_size, 2, batch_first=True)
        self.norm = nn.LayerNorm(hidden_size)
        self.intermediate = nn.Linear(hidden_size, 2 * hidden_size)
        self.output = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, hidden_states, key_padding_mask):
        attended, _ = self.attention(
            hidden_states, hidden_states, hidden_states, key_padding_mask, need_weights=False
        )
        hidden_states = self.norm(hidden_states + attended)
        return hidden_states + self.output(
            torch.nn.functional.gelu(self.intermediate(hidden_states))
        )


class TinyBertForSequenceClassification(nn.Module):
    def __init__(self, vocab_size=50, hidden_size=16, num_layers=2, num_labels=3, max_length=16):
        super().__init__()
        self.word = nn.Embedding(vocab_size, hidden_size, padding_idx=0)
        self.position = nn.Embedding(max_length, hidden_size)
        self.segment = nn.Embedding(2, hidden_size)
        self.layers = nn.ModuleList(TinyBertLayer(hidden_size) for _ in range(num_layers))
        self.classifier = nn.Linear(hidden_size, num_labels)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None):
        if attention_mask is None:
            attention_mask = input_ids.ne(0).long()
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        hidden_states = self.word(input_ids) + self.position(positions)
        if token_type_ids is not None:
            hidden_states = hidden_states + self.segment(token_type_ids)
        for layer in self.layers:
            hidden_states = layer(hidden_states, attention_mask == 0)
        logits = self.classifier(hidden_states[:, 0])
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(logits, loss)
