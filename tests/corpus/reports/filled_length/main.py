"""Greedy decoding of a one-layer language model with a static cache."""
import torch
from torch import nn
import torch.nn.functional as F

from cache import StaticCache


class Decoder(nn.Module):
    def __init__(self, vocab=40, dim=32, heads=2, capacity=64):
        super().__init__()
        self.heads, self.dim = heads, dim
        self.embed = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 64), nn.GELU(), nn.Linear(64, dim))
        self.head = nn.Linear(dim, vocab)
        self.cache = StaticCache(1, heads, capacity, dim // heads)

    def split(self, t):
        return t.view(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, token):
        x = self.embed(token)
        q, k, v = (self.split(t) for t in self.qkv(x).chunk(3, dim=-1))
        k, v = self.cache.extend(k, v)
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        x = x + y
        return self.head(x + self.mlp(x))[:, -1]


@torch.no_grad()
def main():
    torch.manual_seed(31)
    model = Decoder().eval()
    step = torch.compile(model, backend="aot_eager")
    token = torch.tensor([[7]])
    said = []
    for _ in range(14):
        logits = step(token)
        token = logits.argmax(dim=-1, keepdim=True)
        said.append(token.item())
    print("tokens", said)
    print(f"last logits mean {logits.mean():.5f}")


if __name__ == "__main__":
    main()
