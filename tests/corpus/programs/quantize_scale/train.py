"""Quantization-aware training with a scale that is read back from a tensor."""

import torch
from torch import nn
from torch.nn import functional


class FakeQuantized(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        hidden = self.inner(x)
        scale = hidden.detach().abs().max().item() / 127
        if scale > 0:
            rounded = (hidden / scale).round() * scale
            hidden = hidden + (rounded - hidden).detach()
        return self.head(hidden.relu())


def main():
    torch.manual_seed(0)
    net = FakeQuantized()
    model = torch.compile(net, backend="eager", dynamic=False)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(6):
        x = torch.randn(8, 12)
        loss = functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
