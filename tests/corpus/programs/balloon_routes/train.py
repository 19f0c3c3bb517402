"""Learns where balloons land; the forward is compiled, and so is the backward."""

import torch
from model import Router
from torch._dynamo import compiled_autograd
from winds import flights


class Landing:
    def __init__(self):
        self.router = Router()
        self.route = torch.compile(self.router, backend="aot_eager")
        self.optimizer = torch.optim.Adam(self.router.parameters(), lr=0.01)

    def objective(self, wind, plan, there):
        off = (self.route(wind, plan) - there).norm(dim=1)
        return off.mean()

    def fly(self, flight):
        loss = self.objective(*flight)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def main(epochs=4):
    torch.manual_seed(29)
    landing = Landing()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            off = [landing.fly(flight) for flight in flights(4)]
            print(f"{epoch}: {sum(off) / len(off):.3f} at {landing.router.temperature:.2f}")
            landing.router.cool()


if __name__ == "__main__":
    main()
