"""Every schedule is a tensor: the temperature and the rate of a compiled step. All is well."""

import torch
from torch import nn
from torch.nn import functional


class Cooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("temperature", torch.tensor(1.0))
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        return self.head(x) / self.temperature


def main():
    torch.manual_seed(0)
    net = Cooled()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(6):
        net.temperature.fill_(0.9**step)
        for group in optimizer.param_groups:
            group["lr"] = 0.1 / (1 + step)
        x, labels = torch.randn(8, 6), torch.randint(0, 3, (8,))
        loss = functional.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
