import torch
import torch.nn as nn
from vocab import PAD


class Translator(nn.Module):
    def __init__(self, vocab, dim=32, heads=2, max_len=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.position = nn.Parameter(0.02 * torch.randn(max_len, dim))
        self.encoder = nn.TransformerEncoderLayer(dim, heads, 2 * dim, 0.0, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(dim, heads, 2 * dim, 0.0, batch_first=True)
        self.length = nn.Linear(dim, 1)
        self.project = nn.Linear(dim, vocab)

    def embedded(self, tokens):
        return self.embed(tokens) + self.position[: tokens.shape[1]]

    def forward(self, source, shifted):
        padding = source == PAD
        memory = self.encoder(self.embedded(source), src_key_padding_mask=padding)
        kept = (~padding).unsqueeze(-1)
        length = self.length((memory * kept).sum(1) / kept.sum(1)).squeeze(-1)
        n = shifted.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool).triu(1)
        out = self.decoder(self.embedded(shifted), memory, causal, memory_key_padding_mask=padding)
        return self.project(out), length
