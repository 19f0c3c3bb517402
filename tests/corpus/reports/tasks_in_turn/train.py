"""Two tasks in turn on one trunk, with a compiled optimizer."""
import torch
import torch.nn.functional as F
from torch import nn


class TwoTasks(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, width), nn.ReLU())
        self.depth = nn.Linear(width, 1)
        self.kind = nn.Linear(width, 3)

    def forward(self, x, task):
        hidden = self.trunk(x)
        return self.depth(hidden) if task == "depth" else self.kind(hidden)


def main():
    torch.manual_seed(41)
    net = TwoTasks()
    optimizer = torch.optim.SGD(net.parameters(), lr=torch.tensor(0.05))
    update = torch.compile(optimizer.step, backend="eager")
    for step in range(10):
        x = torch.randn(12, 6)
        if step % 2:
            loss = F.cross_entropy(net(x, "kind"), torch.randint(3, (12,)))
        else:
            loss = F.mse_loss(net(x, "depth"), x[:, :1])
        loss.backward()
        update()
        optimizer.zero_grad()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
