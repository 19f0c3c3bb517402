"""Embed texts with a rotary encoder and train a probe on them."""
import torch
import torch.nn.functional as F
from torch import nn


class Rotary(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("speeds", 100 ** (-torch.arange(0, width, 2) / width), persistent=False)
        self.register_buffer("cos", torch.ones(1, width // 2), persistent=False)
        self.register_buffer("sin", torch.zeros(1, width // 2), persistent=False)

    def stale(self, length):
        if length > self.cos.shape[0]:
            return True
        return self.training and self.cos.is_inference()

    def forward(self, x):
        if self.stale(x.shape[1]):
            angle = torch.arange(x.shape[1])[:, None] * self.speeds
            self.cos, self.sin = angle.cos(), angle.sin()
        cos, sin = self.cos[: x.shape[1]], self.sin[: x.shape[1]]
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.cat([even * cos - odd * sin, even * sin + odd * cos], -1)


class Embedder(nn.Module):
    def __init__(self, words=60, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rotary = Rotary(width)
        self.mix = nn.Linear(width, width)

    def forward(self, ids):
        x = self.rotary(self.embed(ids))
        return F.normalize(self.mix(x).mean(1), dim=-1)


def main():
    torch.manual_seed(27)
    net = Embedder()
    net(torch.zeros(1, 12, dtype=torch.long))
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for _ in range(8):
        ids = torch.randint(60, (8, 12))
        left, right = model(ids), model(ids.roll(1, 1))
        loss = F.cross_entropy(left @ right.T / 0.1, torch.arange(8))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
