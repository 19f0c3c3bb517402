"""Trains a catalogue of stamps, evaluates it after each epoch and stops when it gets no better."""

import copy

import torch
from album import Album, pages
from contrast import Contrast, annealed


def evaluate(objective, album):
    objective.eval()
    with torch.no_grad():
        losses = [
            objective(stamps, lambda x: x * (x > 0.5)) for stamps, _ in pages(album, 8, False)
        ]
    objective.train()
    return torch.stack(losses).mean().item()


def main(epochs=3):
    torch.manual_seed(21)
    train, held_out = Album(45), Album(19)
    net = Contrast()
    net(train.stamps[:2], torch.clone)
    objective = torch.compile(net, backend="eager")
    average = copy.deepcopy(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    temperatures = iter(annealed(0.5, 0.1, epochs * (len(train) // 8)))
    best = float("inf")
    for epoch in range(epochs):
        total = 0.0
        for stamps, _ in pages(train, 8):
            net.temperature.fill_(next(temperatures))
            loss = objective(stamps, lambda x: x * (torch.rand_like(x) > 0.3))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            with torch.no_grad():
                for old, new in zip(average.parameters(), net.parameters(), strict=True):
                    old.lerp_(new, 0.1)
            total += loss.item()
        scheduler.step()
        error = evaluate(objective, held_out)
        print(f"epoch {epoch}: {total:.3f}, held out {error:.3f}, {int(net.seen)} seen")
        if error > 2 * best:
            break
        best = min(best, error)


if __name__ == "__main__":
    main()
