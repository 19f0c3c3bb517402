"""Trains the restorer; a slow copy of it is what is kept."""

import copy

import torch
from data import photos
from model import Restorer


class SlowCopy:
    def __init__(self, model, decay=0.9):
        self.model = copy.deepcopy(model)
        self.decay, self.updates = decay, 0

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        share = 1 - min(self.decay, self.updates / (self.updates + 2))
        for slow, fast in zip(self.model.parameters(), model.parameters(), strict=True):
            slow.lerp_(fast, share)


def grainy(clean, strength):
    return clean + 0.3 * strength * torch.randn_like(clean)


def main():
    torch.manual_seed(0)
    restorer = Restorer()
    slow = SlowCopy(restorer)
    optimizer = torch.optim.AdamW(restorer.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 8)
    restore = torch.compile(restorer, backend="eager", dynamic=False)
    for step, (clean, strength) in enumerate(photos(8)):
        restored = restore(grainy(clean, strength))
        loss = (restored - clean).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        slow.update(restorer)
        if step % 4 == 3:
            print(f"{step}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
