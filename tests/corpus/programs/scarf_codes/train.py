from collections import deque

import torch
import torch.nn.functional as F
from quantize import VectorQuantize
from torch import nn
from torch.utils.data import DataLoader, Dataset

# constants

NUM_STEPS = 40
BATCH_SIZE = 8
LENGTH = 24
LEARNING_RATE = 3e-3
TEMPERATURE = (1.0, 0.05)
SAMPLE_EVERY = 10

# data: rows of stitches, each a color; short rows are filled up to LENGTH


class Rows(Dataset):
    def __init__(self, n=100, colors=6):
        self.n, self.colors = n, colors

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        length = int(torch.randint(LENGTH // 2, LENGTH + 1, (), generator=g))
        motif = torch.randint(
            self.colors, (int(torch.randint(2, 6, (), generator=g)),), generator=g
        )
        row = motif.repeat(LENGTH)[:length]
        mask = torch.arange(LENGTH) < length
        return {"row": F.pad(row, (0, LENGTH - length)), "mask": mask.float()}


def cycle(dl):
    while True:
        yield from dl


class ScarfAutoencoder(nn.Module):
    def __init__(self, colors=6, dim=16, codebook_size=32):
        super().__init__()
        self.embed = nn.Embedding(colors, dim)
        self.down = nn.Conv1d(dim, dim, 4, stride=2, padding=1)
        self.vq = VectorQuantize(dim, codebook_size)
        self.up = nn.ConvTranspose1d(dim, dim, 4, stride=2, padding=1)
        self.to_logits = nn.Linear(dim, colors)
        self.steps_seen = 0

    def forward(self, row, mask, return_codes=False):
        h = self.down(self.embed(row).transpose(1, 2)).transpose(1, 2)
        h, codes, commit = self.vq(h, mask[:, ::2])
        logits = self.to_logits(self.up(h.transpose(1, 2)).transpose(1, 2))
        recon = (F.cross_entropy(logits.transpose(1, 2), row, reduction="none") * mask).sum()
        return recon / mask.sum() + commit, codes


torch.manual_seed(42)
model = ScarfAutoencoder()
compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
optim = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
loader = cycle(DataLoader(Rows(), batch_size=BATCH_SIZE, shuffle=True, drop_last=True))
recent = deque(maxlen=SAMPLE_EVERY)
used = {}

for step in range(NUM_STEPS):
    start, end = TEMPERATURE
    model.vq.temperature.fill_(start * (end / start) ** (step / NUM_STEPS))
    batch = next(loader)
    loss, codes = compiled(batch["row"], batch["mask"])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optim.step()
    optim.zero_grad()
    model.steps_seen += 1
    recent.append(loss.item())
    if step % SAMPLE_EVERY == SAMPLE_EVERY - 1:
        used[step] = codes.unique().numel()
        print(f"{step + 1}: loss {sum(recent) / len(recent):.3f}, codes in use {used[step]}")
