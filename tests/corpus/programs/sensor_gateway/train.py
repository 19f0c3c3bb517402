"""Learns from a stream of messages what is usual."""

import json

import torch
from messages import READINGS, network
from model import Unusual


class Gateway:
    def __init__(self, lr=1e-2):
        self.model = Unusual([*READINGS, "wind"])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.handled = {}

    @torch.compile(backend="eager")
    def score(self, readings):
        return self.model(readings)

    def handle(self, message):
        parsed = json.loads(message)
        readings = {name: torch.tensor(values) for name, values in parsed["readings"].items()}
        error = self.score(readings)
        self.optimizer.zero_grad()
        error.backward()
        self.optimizer.step()
        self.handled.setdefault(parsed["station"], []).append(error.item())


def main():
    torch.manual_seed(0)
    gateway = Gateway()
    for message in network(9):
        gateway.handle(message)
    for name, errors in gateway.handled.items():
        print(name, f"{errors[-1]:.3f}")


if __name__ == "__main__":
    main()
