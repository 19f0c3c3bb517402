"""Train, and compute every third step in deterministic mode to compare runs."""
import contextlib

import torch
import torch.nn as nn


@contextlib.contextmanager
def reproducible():
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, ids):
        return self.out(torch.tanh(self.table(ids).sum(1)))


def main():
    torch.manual_seed(31)
    net = Net()
    model = torch.compile(net, backend="eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    ids = torch.randint(20, (16, 4))
    y = torch.randn(16, 1)
    for step in range(9):
        mode = reproducible() if step % 3 == 2 else contextlib.nullcontext()
        with mode:
            loss = nn.functional.mse_loss(model(ids), y)
            opt.zero_grad()
            loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
