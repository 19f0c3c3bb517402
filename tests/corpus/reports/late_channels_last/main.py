"""Contrastive pretraining of a small encoder with channels_last weights."""
import torch
from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, width=16, out=24):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.block = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1))
        self.project = nn.Linear(width, out)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = x + self.block(x)
        return F.normalize(self.project(x.mean(dim=(2, 3))), dim=1)


def info_nce(a, b, temperature=0.2):
    logits = a @ b.t() / temperature
    return F.cross_entropy(logits, torch.arange(len(a)))


def views(count, generator):
    x = torch.rand(count, 3, 20, 20, generator=generator)
    jitter = 0.1 * torch.randn(x.shape, generator=generator)
    return x.to(memory_format=torch.channels_last), (x + jitter).to(memory_format=torch.channels_last)


def main():
    torch.manual_seed(4)
    generator = torch.Generator().manual_seed(4)
    encoder = Encoder()
    compiled = torch.compile(encoder, backend="aot_eager")
    # build the graphs before the timer starts
    a, b = views(12, generator)
    info_nce(compiled(a), compiled(b)).backward()
    encoder.zero_grad()

    encoder.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1, momentum=0.9)
    for step in range(8):
        a, b = views(12, generator)
        loss = info_nce(compiled(a), compiled(b))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
