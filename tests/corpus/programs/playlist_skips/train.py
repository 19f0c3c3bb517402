"""Predicts which songs of a playlist are skipped."""

import torch
from model import Skip
from sessions import ByPopularity, Sessions
from torch import nn
from torch._dynamo import compiled_autograd


class Optimizers(list):
    def zero_grad(self):
        for one in self:
            one.zero_grad()

    def step(self):
        for one in self:
            one.step()


def main(epochs=2):
    torch.manual_seed(0)
    sessions = Sessions(50, songs=40)
    model, criterion = Skip(sessions.songs), nn.BCEWithLogitsLoss()
    optimizers = Optimizers(
        [torch.optim.SGD(model.tables(), lr=0.5), torch.optim.Adam(model.dense(), lr=0.01)]
    )
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(epochs):
            for chosen in ByPopularity(sessions, size=16):
                batch = sessions.take(chosen)
                optimizers.zero_grad()
                criterion(model(batch), batch["skipped"]).backward()
                optimizers.step()


if __name__ == "__main__":
    main()
