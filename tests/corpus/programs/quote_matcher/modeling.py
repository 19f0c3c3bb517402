from dataclasses import dataclass

import torch
from torch import nn
from transformers.utils import ModelOutput


@dataclass
class MatcherOutput(ModelOutput):
    loss: torch.FloatTensor | None = None
    logits: torch.FloatTensor = None
    hidden_states: tuple[torch.FloatTensor, ...] | None = None


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, hidden, mask):
        q, k, v = self.qkv(self.norm(hidden)).unflatten(-1, (3, self.heads, -1)).unbind(2)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        hidden = hidden + self.out(mixed.transpose(1, 2).flatten(2))
        return hidden + self.mlp(hidden)


class QuoteMatcher(nn.Module):
    def __init__(self, vocab_size=50, width=16, layers=2, heads=2):
        super().__init__()
        self.words = nn.Embedding(vocab_size, width)
        self.types = nn.Embedding(2, width)
        self.positions = nn.Embedding(32, width)
        self.layers = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.classifier = nn.Linear(width, 2)

    def forward(
        self,
        input_ids,
        attention_mask=None,
        token_type_ids=None,
        labels=None,
        output_hidden_states=False,
    ):
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        hidden = self.words(input_ids) + self.types(token_type_ids)
        hidden = hidden + self.positions(torch.arange(input_ids.shape[1]))
        mask = attention_mask.bool()[:, None, None, :] if attention_mask is not None else None
        states = (hidden,) if output_hidden_states else None
        for layer in self.layers:
            hidden = layer(hidden, mask)
            if output_hidden_states:
                states = (*states, hidden)
        logits = self.classifier(hidden[:, 0])
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return MatcherOutput(loss=loss, logits=logits, hidden_states=states)
