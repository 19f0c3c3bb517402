"""A causal model that refuses right-padded batches for generation."""
import torch
from torch import nn
import torch.nn.functional as F


class Causal(nn.Module):
    def __init__(self, vocab=48, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.head = nn.Linear(dim, vocab)

    def causal_mask(self, mask):
        right_padded = mask[:, -1].sum().item() != mask.shape[0]
        if right_padded:
            raise ValueError("the batch is padded on the right")
        n = mask.shape[1]
        allowed = torch.ones(n, n, dtype=torch.bool).tril()
        return allowed[None] & (mask[:, None, :] | torch.eye(n, dtype=torch.bool))

    def forward(self, tokens, mask):
        x = self.embed(tokens)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, attn_mask=self.causal_mask(mask)))
        return self.head(x)
