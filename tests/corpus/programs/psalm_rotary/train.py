import random

import torch
from torch.optim import Adam
from transformer import PsalmTransformer

# constants

NUM_BATCHES = 24
BATCH_SIZE = 4
GRAD_ACCUM_EVERY = 2
LEARNING_RATE = 1e-3
NUM_TOKENS = 48
VERSE_LENGTHS = range(9, 25, 2)

random.seed(0)
torch.manual_seed(0)


def cycle(verses):
    while True:
        random.shuffle(verses)
        yield from verses


def make_verses():
    verses = []
    for length in VERSE_LENGTHS:
        start = torch.randint(0, NUM_TOKENS, (BATCH_SIZE, 1))
        stride = torch.randint(1, 4, (BATCH_SIZE, 1))
        verses.append((start + stride * torch.arange(length)) % NUM_TOKENS)
    return verses


model = PsalmTransformer(num_tokens=NUM_TOKENS, dim=16, depth=2)
compiled = torch.compile(model, backend="aot_eager")
optim = Adam(model.parameters(), lr=LEARNING_RATE)
loader = cycle(make_verses())

for i in range(NUM_BATCHES // GRAD_ACCUM_EVERY):
    model.train()
    for _ in range(GRAD_ACCUM_EVERY):
        loss = compiled(next(loader), return_loss=True)
        (loss / GRAD_ACCUM_EVERY).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optim.step()
    optim.zero_grad()
    if i % 4 == 0:
        print(f"{i}: training loss {loss.item():.3f}")

with torch.no_grad():
    out = next(loader)[:1, :6]
    for _ in range(5):
        out = torch.cat((out, model(out)[:, -1:].argmax(dim=-1)), dim=-1)
print(out.tolist())
