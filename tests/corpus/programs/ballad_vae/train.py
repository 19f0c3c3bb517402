"""Sentence VAE over lines of ballads, with a convolutional decoder and free bits per dimension.

python train.py
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1862)

VOCAB, LENGTH, BOS, UNK = 36, 8, 0, 1
WIDTH, LATENT, KERNEL = 24, 6, 3
STEPS, BATCH = 18, 16
FREE_BITS_START, FREE_BITS_END, FREE_BITS_STEPS = 0.5, 0.05, 6


class BalladVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, WIDTH)
        self.encoder = nn.Conv1d(WIDTH, WIDTH, 3, padding=1)
        self.to_latent = nn.Linear(WIDTH, 2 * LATENT)
        self.to_state = nn.Linear(LATENT, WIDTH)
        self.decoder = nn.Conv1d(WIDTH, WIDTH, KERNEL)
        self.head = nn.Linear(WIDTH, VOCAB)

    def encode(self, tokens):
        hidden = torch.relu(self.encoder(self.embed(tokens).transpose(1, 2)))
        return self.to_latent(hidden.mean(-1)).chunk(2, dim=-1)

    def decode(self, z, tokens, word_dropout):
        fed = torch.cat([torch.full_like(tokens[:, :1], BOS), tokens[:, :-1]], dim=1)
        fed = fed.masked_fill(torch.rand(fed.shape) < word_dropout, UNK)
        past = F.pad(self.embed(fed).transpose(1, 2), (KERNEL - 1, 0))
        hidden = torch.tanh(self.decoder(past).transpose(1, 2) + self.to_state(z)[:, None])
        return self.head(hidden)


def ballads(n):
    """Lines whose words follow one another by a fixed step, with slips."""
    first = torch.randint(2, VOCAB, (n, 1))
    stride = torch.randint(1, 4, (n, 1))
    line = 2 + (first + stride * torch.arange(LENGTH)) % (VOCAB - 2)
    slips = torch.rand(n, LENGTH) < 0.05
    return torch.where(slips, torch.randint(2, VOCAB, (n, LENGTH)), line)


model = BalladVAE()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)

for step in range(STEPS):
    beta = min(1.0, (step + 1) / 12)
    left = max(0.0, 1 - step / FREE_BITS_STEPS)
    free_bits = FREE_BITS_END + (FREE_BITS_START - FREE_BITS_END) * left
    word_dropout = 0.4 - 0.01 * step

    tokens = ballads(BATCH)
    mu, logvar = model.encode(tokens)
    z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
    logits = model.decode(z, tokens, word_dropout)

    reconstruction = F.cross_entropy(logits.transpose(1, 2), tokens)
    kl = 0.5 * (mu.square() + logvar.exp() - 1 - logvar).mean(0)
    loss = reconstruction + beta * kl.clamp(min=free_bits).sum() / LENGTH

    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    if step % 6 == 5:
        print(f"step {step}: nll {reconstruction.item():.3f}  kl {kl.sum().item():.3f}")
