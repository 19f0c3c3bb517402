"""Tunes a classifier of modulations, and looks at what single stations sound like."""

import torch
from signals import KINDS, Archive, recording
from spectra import decibels
from torch import nn


def standing(levels, mean, spread):
    return (levels.float() - mean) / spread


def calibrate(window):
    """Typical levels, from a few recordings of each kind."""
    kinds = (KINDS * 4)[:10]
    single = [
        torch.from_numpy(recording(kind, seed=n).astype("float32")) for n, kind in enumerate(kinds)
    ]
    levels = torch.stack([decibels(one, window) for one in single])
    return levels.mean(0), levels.std(0) + 1


def main(epochs=2):
    torch.manual_seed(3)
    window = torch.hann_window(32)
    normal = calibrate(window)
    model = nn.Sequential(nn.Linear(17, 16), nn.GELU(), nn.Linear(16, len(KINDS)))
    optimizer = torch.optim.NAdam(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        right = seen = 0
        for rows, labels in Archive(blocks=6, size=10):
            block, labels = torch.as_tensor(rows), torch.as_tensor(labels)
            logits = model(standing(decibels(block, window), *normal))
            loss = nn.functional.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += (logits.argmax(-1) == labels).sum().item()
            seen += len(labels)
        print(f"{epoch}: {right / seen:.2f}")


if __name__ == "__main__":
    main()
