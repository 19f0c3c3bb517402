"""Learns how crowds move, in mixed precision where it is stable."""

import torch
from cameras import footage
from flow import Flow, endpoint_error
from stable import Stable
from torch._dynamo import compiled_autograd


def main(steps=10):
    torch.manual_seed(0)
    model, stable = Flow(), Stable()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for sample in footage(steps):
            optimizer.zero_grad()
            with stable.precision():
                flow = model(sample["before"], sample["after"])
                loss = endpoint_error(flow, sample["flow"])
                loss.backward()
            optimizer.step()
            stable.see(loss.item())


if __name__ == "__main__":
    main()
