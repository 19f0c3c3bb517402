"""Train on windows of a signal; long recordings are cut, short ones come as they are."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, channels=3, window=20):
        super().__init__()
        self.conv = nn.Conv1d(channels, 8, 5)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        x = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5)
        return self.head(torch.relu(self.conv(x)).amax(-1))


def load(n, window=20):
    for i in range(n):
        length = window if i % 2 == 0 else window + 8
        signal = torch.randn(10, 3, length)
        label = (signal[:, 0, :window].sum(1) > 0).long()
        if length > window:
            signal = signal[:, :, :window]
        yield signal, label


def main():
    torch.manual_seed(29)
    net = Net()
    model = torch.compile(net, backend="eager", dynamic=False)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for signal, label in load(8):
        loss = nn.functional.cross_entropy(model(signal), label)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
