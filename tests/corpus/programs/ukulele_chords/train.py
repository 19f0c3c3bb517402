import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

torch._dynamo.config.compiled_autograd = True

CHORDS = ["C", "Am", "F", "G7", "Dm", "Em"]
RATE = 2000


def strum(chord: int, g: torch.Generator) -> torch.Tensor:
    """Four plucked strings, a third of a second."""
    t = torch.arange(RATE // 3) / RATE
    pitches = 220.0 * 2 ** (torch.tensor([0.0, 4.0, 7.0, 12.0]) / 12 + chord / 12)
    decay = torch.exp(-t * (3 + 4 * torch.rand(1, generator=g)))
    wave = torch.sin(2 * torch.pi * pitches[:, None] * t).sum(0) * decay
    return wave + 0.2 * torch.randn(len(t), generator=g)


def make_dataset(n: int, seed: int):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(len(CHORDS), (n,), generator=g)
    waves = torch.stack([strum(c, g) for c in y.tolist()])
    spec = torch.stft(waves, 64, 32, window=torch.hann_window(64), return_complex=True)
    return spec.abs().log1p(), y


class ChordNet(nn.Module):
    def __init__(self, bins: int = 33):
        super().__init__()
        self.conv1 = nn.Conv1d(bins, 32, 3, padding=1)
        self.conv2 = nn.Conv1d(32, 32, 3, stride=2, padding=1)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(32, len(CHORDS))

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        return self.fc(self.drop(x.mean(-1)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=3e-3)
    args = parser.parse_args()

    torch.manual_seed(0)
    x, y = make_dataset(130, seed=1)
    x = (x - x.mean()) / x.std()

    net = ChordNet()
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)

    @torch.compile(backend="aot_eager")
    def train_step(x, y):
        logits = net(x)
        loss = F.cross_entropy(logits, y)
        loss.backward()
        return loss.detach(), logits.detach()

    for epoch in range(args.epochs):
        total = hits = 0
        for idx in torch.randperm(len(x)).split(args.batch_size):
            opt.zero_grad()
            loss, logits = train_step(x[idx], y[idx])
            opt.step()
            total += loss.item() * len(idx)
            hits += (logits.argmax(-1) == y[idx]).sum().item()
        print(f"epoch {epoch}: loss {total / len(x):.3f} accuracy {hits / len(x):.2f}")
