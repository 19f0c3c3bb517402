"""Train the separator on mixtures of two synthetic voices."""

import torch
from pit import pit_loss
from separator import Separator


def mixtures(count, batch_size=4, samples=400):
    t = torch.arange(samples) / 80
    for _ in range(count):
        pitch = 1 + 4 * torch.rand(batch_size, 2, 1)
        voices = torch.sin(2 * torch.pi * pitch * t) + 0.05 * torch.randn(batch_size, 2, samples)
        yield voices.sum(1), voices


def main():
    torch.manual_seed(0)
    separator = Separator()
    optimizer = torch.optim.Adam(separator.parameters(), lr=2e-3)
    separate = torch.compile(separator, backend="eager")
    criterion = torch.compile(pit_loss, backend="eager")
    for step, (mixture, voices) in enumerate(mixtures(8)):
        loss = criterion(separate(mixture), voices)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(separator.parameters(), 5.0)
        optimizer.step()
        if step % 4 == 0:
            print(f"{step}: {-loss.item():.2f} dB")


if __name__ == "__main__":
    main()
