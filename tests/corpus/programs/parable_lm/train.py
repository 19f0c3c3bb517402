"""Character model of a parable; the embedding learns slower, as in GLM-130B."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from gradients import gradient_scaler
from torch._dynamo import compiled_autograd

torch.manual_seed(1337)

text = (
    "a sower went out to sow his seed, and as he sowed some fell by the way side; "
    "and it was trodden down, and the fowls of the air devoured it. "
) * 4
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])

block, batch, dim, steps = 16, 8, 32, 14
warmup, base_lr = 4, 3e-3


class CharModel(nn.Module):
    def __init__(self, vocab, alpha=0.1):
        super().__init__()
        self.alpha = alpha
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(0.02 * torch.randn(block, dim))
        self.mix = nn.Conv1d(dim, dim, 4)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, idx, temperature=1.0):
        x = gradient_scaler(self.alpha)(self.tok(idx)) + self.pos
        x = x + self.mix(F.pad(x.transpose(1, 2), (3, 0))).transpose(1, 2)
        x = self.norm(x + self.ff(x))
        return x @ self.tok.weight.T / temperature


def get_batch():
    ix = torch.randint(len(data) - block - 1, (batch,))
    x = torch.stack([data[i : i + block] for i in ix])
    y = torch.stack([data[i + 1 : i + block + 1] for i in ix])
    return x, y


def get_lr(it):
    if it < warmup:
        return base_lr * (it + 1) / warmup
    return base_lr * 0.5 * (1 + math.cos(math.pi * (it - warmup) / (steps - warmup)))


model = CharModel(len(chars))
opt = torch.optim.AdamW(model.parameters(), lr=base_lr)
with compiled_autograd._enable(torch.compile(backend="aot_eager")):
    for it in range(steps):
        for group in opt.param_groups:
            group["lr"] = get_lr(it)
        x, y = get_batch()
        logits = model(x, temperature=2.0 - it / steps)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if it % 5 == 0:
            print(f"{it}: {loss.item():.3f}")
