"""Scores rollouts: each source of data supplies other optional fields."""
import torch
from torch import nn

FIELDS = ("reward", "bonus", "cost", "novelty")
SOURCES = [("reward",), ("reward", "bonus"), ("reward", "cost"), ("bonus", "cost"), ("reward", "bonus", "cost"),
           ("novelty",), ("reward", "novelty")]


class ValueNet(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6 + len(FIELDS), width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, obs, **fields):
        state = {name: torch.zeros(obs.shape[0]) for name in FIELDS}
        state.update(fields)
        x = torch.cat([obs] + [state[name][:, None] for name in FIELDS], dim=1)
        return self.body(x).squeeze(-1)


def rollouts(generator):
    for names in SOURCES * 2:
        obs = torch.randn(24, 6, generator=generator)
        yield obs, {name: torch.rand(24, generator=generator) for name in names}


def main():
    torch.manual_seed(19)
    generator = torch.Generator().manual_seed(19)
    net = ValueNet()
    compiled = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for number, (obs, fields) in enumerate(rollouts(generator)):
        value = compiled(obs, **fields)
        target = sum(fields.values()) + obs[:, 0]
        loss = (value - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{number:2d} {'+'.join(fields):24s} {loss.item():.5f}")


if __name__ == "__main__":
    main()
