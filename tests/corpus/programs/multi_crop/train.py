"""Pretrains an encoder of scans on crops."""

import torch
from crops import MultiCrop, scans
from dino import Dino
from settings import EPOCHS, begin_epoch


def main():
    torch.manual_seed(0)
    model = Dino()
    objective = torch.compile(model, backend="eager")
    optimizer = torch.optim.AdamW(model.student.parameters(), lr=1e-3)
    crop = MultiCrop()
    for epoch in range(EPOCHS):
        count = begin_epoch(epoch)
        for batch in scans(3):
            loss = objective(crop(batch, count))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.follow()


if __name__ == "__main__":
    main()
