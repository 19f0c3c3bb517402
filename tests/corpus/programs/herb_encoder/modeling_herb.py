"""An encoder of descriptions of herbs."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class HerbAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.num_attention_heads
        self.qkv = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.out = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states, attention_bias):
        batch, length, width = hidden_states.shape
        qkv = self.qkv(hidden_states).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5
        context = (scores + attention_bias).softmax(-1) @ value
        return self.out(context.transpose(1, 2).reshape(batch, length, width))


class HerbLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = HerbAttention(config)
        self.norm1 = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.norm2 = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.up = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, hidden_states, attention_bias):
        hidden_states = hidden_states + self.attention(self.norm1(hidden_states), attention_bias)
        return hidden_states + self.down(nn.functional.gelu(self.up(self.norm2(hidden_states))))


class HerbForSequenceClassification(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.positions = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.layers = nn.ModuleList(HerbLayer(config) for _ in range(config.num_hidden_layers))
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)

    def forward(self, input_ids, attention_mask, labels):
        places = torch.arange(input_ids.size(1))
        hidden_states = self.embeddings(input_ids) + self.positions(places)
        bias = (1.0 - attention_mask[:, None, None, :]) * -1e4
        for layer in self.layers:
            if self.config.gradient_checkpointing and self.training:
                hidden_states = checkpoint(layer, hidden_states, bias, use_reentrant=False)
            else:
                hidden_states = layer(hidden_states, bias)
        logits = self.classifier(hidden_states[:, 0])
        return nn.functional.cross_entropy(logits, labels), logits
