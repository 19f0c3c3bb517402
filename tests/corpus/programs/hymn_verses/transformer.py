"""A small encoder and decoder with shared embeddings."""

import math

import torch
from torch import nn


class TransformerModel(nn.Module):
    def __init__(self, args, vocabulary):
        super().__init__()
        self.scale = math.sqrt(args.embed_dim)
        self.embed = nn.Embedding(vocabulary, args.embed_dim, padding_idx=0)
        self.position = nn.Parameter(0.02 * torch.randn(1, 64, args.embed_dim))
        common = {
            "d_model": args.embed_dim,
            "nhead": 4,
            "dim_feedforward": args.ffn_dim,
            "dropout": args.dropout,
            "batch_first": True,
        }
        self.encoder = nn.ModuleList(
            nn.TransformerEncoderLayer(**common) for _ in range(args.layers)
        )
        self.decoder = nn.ModuleList(
            nn.TransformerDecoderLayer(**common) for _ in range(args.layers)
        )

    def embedded(self, tokens):
        return self.scale * self.embed(tokens) + self.position[:, : tokens.size(1)]

    def forward(self, source, previous):
        memory = self.embedded(source)
        for layer in self.encoder:
            memory = layer(memory)
        length = previous.size(1)
        future = torch.full((length, length), float("-inf")).triu(1)
        state = self.embedded(previous)
        for layer in self.decoder:
            state = layer(state, memory, tgt_mask=future)
        return state @ self.embed.weight.t()
