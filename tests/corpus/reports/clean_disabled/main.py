"""Train; the metrics are noted by a function that is kept out of the graph on purpose."""
import torch
import torch.nn as nn

HISTORY = []


@torch.compiler.disable(reason="writes to the run's history")
def note(name, value):
    HISTORY.append((name, round(float(value), 3)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(6, 10)
        self.out = nn.Linear(10, 1)

    def forward(self, x):
        h = torch.relu(self.inp(x))
        y = self.out(h)
        note("activity", h.detach().mean())
        return y


def main():
    torch.manual_seed(39)
    net = Net()
    model = torch.compile(net, backend="eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    x = torch.randn(30, 6)
    for _ in range(4):
        loss = (model(x) - x[:, :1]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f} {len(HISTORY)}")


if __name__ == "__main__":
    main()
