"""Each phase of the training has its own loss."""

import torch
from phases import Phase, phase_of
from torch import nn
from torch.nn import functional

net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))


@torch.compile(backend="eager")
def objective(inputs, targets, phase):
    predicted = net(inputs)
    if phase is Phase.WARMUP:
        return functional.mse_loss(predicted, targets)
    if phase is Phase.MAIN:
        return functional.l1_loss(predicted, targets)
    return functional.huber_loss(predicted, targets)


def main():
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for step in range(10):
        inputs = torch.randn(16, 6)
        loss = objective(inputs, inputs.mean(1, keepdim=True), phase_of(step))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
