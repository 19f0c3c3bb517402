"""Warns orchards of frost, by what the evening was like."""

import torch
from activations import Clock, block
from torch import nn
from torch._dynamo import compiled_autograd


def evenings(count, batch=10):
    for _ in range(count):
        # Temperature, dew point, wind, clouds.
        weather = torch.randn(batch, 4)
        cold = weather[:, 0] + 0.5 * weather[:, 3] + 0.3 * weather[:, 2] < 0
        yield weather, cold.float()


def main(steps=11):
    torch.manual_seed(0)
    net = nn.Sequential(block(4, 12), block(12, 12), nn.Linear(12, 1), nn.Flatten(0))
    forward = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    engine = torch.compile(backend="eager")
    for step, (weather, cold) in enumerate(evenings(steps)):
        Clock.share = step / steps
        chance = forward(weather)
        loss = nn.functional.binary_cross_entropy_with_logits(chance, cold)
        optimizer.zero_grad()
        with compiled_autograd._enable(engine):
            loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
