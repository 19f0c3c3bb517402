"""Search over hidden sizes and activations: one compiled model per trial."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, hidden, act):
        super().__init__()
        self.inp = nn.Linear(6, hidden)
        self.out = nn.Linear(hidden, 1)
        self.act = act

    def forward(self, x):
        h = self.inp(x)
        h = torch.relu(h) if self.act == "relu" else torch.tanh(h)
        return self.out(h)


def trial(hidden, act, x, y):
    torch.manual_seed(hidden)
    net = Net(hidden, act)
    model = torch.compile(net, backend="eager")
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(4):
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def main():
    torch.manual_seed(25)
    x = torch.randn(40, 6)
    y = x.prod(1, keepdim=True)
    results = {}
    for hidden in (4, 6, 8, 12, 16):
        for act in ("relu", "tanh"):
            results[hidden, act] = trial(hidden, act, x, y)
    best = min(results, key=results.get)
    print(f"FINAL {best} {results[best]:.5f}")


if __name__ == "__main__":
    main()
