"""Learns which mushrooms can be eaten."""

import torch
from model import Edible
from photos import album
from torch import nn
from torch._dynamo import compiled_autograd


class PowerSchedule:
    def __init__(self, pool, powers):
        self.pool, self.powers = pool, powers

    def __call__(self, epoch):
        self.pool.power = self.powers[min(epoch, len(self.powers) - 1)]


def main(epochs=3, per_epoch=6):
    torch.manual_seed(0)
    model, criterion = Edible(), nn.BCEWithLogitsLoss()
    schedule = PowerSchedule(model.pool, powers=[1.5, 2.5, 3.5])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    by_phone = {}
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            schedule(epoch)
            for phone, image, edible in album(per_epoch):
                loss = criterion(model(image), edible)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                by_phone[phone] = loss.item()


if __name__ == "__main__":
    main()
