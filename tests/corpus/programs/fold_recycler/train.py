import random

import torch
from chains import chains
from evoformer import Fold
from losses import fape, lddt_like
from torch.optim import Adam

# constants

NUM_BATCHES = 12
GRADIENT_ACCUMULATE_EVERY = 1
LEARNING_RATE = 3e-3
VALIDATE_EVERY = 5
MAX_RECYCLES = 2


def cycle(loader):
    yield from loader


def seed_all(seed):
    random.seed(seed)
    torch.manual_seed(seed)


seed_all(42)

model = Fold(dim=16, depth=1)
optim = Adam(model.parameters(), lr=LEARNING_RATE)

train_loader = cycle(chains())
val_loader = cycle(chains(seed=8))

for i in range(NUM_BATCHES):
    model.train()

    for __ in range(GRADIENT_ACCUMULATE_EVERY):
        seq, coords, mask = next(train_loader)
        recycles = random.randint(1, MAX_RECYCLES)
        pred = model(seq, mask=mask, recycles=recycles)
        loss = fape(pred, coords, mask)
        (loss / GRADIENT_ACCUMULATE_EVERY).backward()

    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optim.step()
    optim.zero_grad()

    if i % VALIDATE_EVERY == 0:
        model.eval()
        with torch.no_grad():
            seq, coords, mask = next(val_loader)
            pred = model(seq, mask=mask, recycles=MAX_RECYCLES)
            lddt = lddt_like(pred, coords, mask)
            print(f"{i}: loss {loss.item():.3f} lddt {lddt.item():.3f}")
