"""Learns from drivers in which order to make stops."""

import torch
from pointer import Pointer
from torch._dynamo import compiled_autograd
from tours import tours


class Imitation:
    def __init__(self, model, lr=0.02):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.likelihood = []

    def update(self, places, order):
        made = self.model(places, order)
        loss = -made.sum(1).mean() / order.shape[1]
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.likelihood.append(-loss.item())


def main(count=7):
    torch.manual_seed(0)
    imitation = Imitation(Pointer())
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for places, order in tours(count):
            imitation.update(places, order)


if __name__ == "__main__":
    main()
