import torch
import torch.nn as nn
import torch.nn.functional as F

from optim import NAdamLite


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=12, classes=3):
        super().__init__()
        self.tok = nn.Linear(tokens, tokens)
        self.chan = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = x + F.gelu(self.tok(x.transpose(1, 2))).transpose(1, 2)
        x = x + F.gelu(self.chan(x))
        return self.head(x.mean(1))


def sample(step):
    g = torch.Generator().manual_seed(step)
    x = torch.randn(16, 6, 12, generator=g)
    return x, x[:, :, 0].mean(1).mul(3).clamp(-1, 1).round().long() + 1


def main():
    torch.manual_seed(0)
    model = Mixer()
    opt = NAdamLite(model.parameters(), lr=1e-2, weight_decay=0.01)
    opt_step = torch.compile(opt.step, backend="eager")
    losses = []
    for step in range(12):
        x, y = sample(step % 3)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt_step()
        opt.zero_grad()
        losses.append(round(loss.item(), 4))
    print("losses", losses)


if __name__ == "__main__":
    main()
