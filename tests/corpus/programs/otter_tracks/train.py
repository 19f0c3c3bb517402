# Which footprint is an otter's? With a look at which measurements the net goes by.
import numpy as np
import torch
from torch import nn
from tracks import COLUMNS, batches, measure

cfg = {"epochs": 3, "batch": 16, "hidden": 24, "lr": 0.02, "probe_every": 4, "seed": 8}


class Classifier(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.norm = nn.BatchNorm1d(n_in)
        self.fc1 = nn.Linear(n_in, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        h = torch.relu(self.fc1(self.norm(x)))
        return self.fc2(h).squeeze(1)


def train_step(net, opt, x, y, probe):
    x.requires_grad_(probe)
    opt.zero_grad(set_to_none=True)
    loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)
    loss.backward()
    opt.step()
    return loss.item(), x.grad.abs().mean(0) if probe else None


if __name__ == "__main__":
    torch.manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"])
    table, otter = measure(cfg["seed"], 100)
    net = Classifier(len(COLUMNS), cfg["hidden"])
    opt = torch.optim.SGD(net.parameters(), lr=cfg["lr"], momentum=0.9, nesterov=True)
    weights, step = torch.zeros(len(COLUMNS)), 0
    for epoch in range(cfg["epochs"]):
        for rows, labels in batches(table, otter, cfg["batch"], rng):
            x, y = torch.from_numpy(rows), torch.from_numpy(labels)
            loss, seen = train_step(net, opt, x, y, probe=step % cfg["probe_every"] == 0)
            if seen is not None:
                weights = 0.8 * weights + 0.2 * seen
            step += 1
        print(f"[{epoch}] loss {loss:.3f}")
    for name, weight in sorted(
        zip(COLUMNS, weights.tolist(), strict=True), key=lambda pair: -pair[1]
    ):
        print(f"{name:>12} {weight:.5f}")
