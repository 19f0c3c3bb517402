"""Learns to taste espresso, from longer and longer parts of a shot."""

import torch
from shots import sessions
from taster import Focus, Taster
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Lengthen:
    def __init__(self, focus, by):
        self.focus, self.by = focus, by

    def on_epoch_end(self):
        self.focus.seconds += self.by


def main(epochs=4):
    torch.manual_seed(0)
    focus = Focus(seconds=8)
    callbacks = [Lengthen(focus, by=2)]
    model = Taster(focus)
    compiled = torch.compile(model, backend="aot_eager", dynamic=False)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    data = sessions()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(epochs):
            for pressure, ground, sour in data:
                optimizer.zero_grad()
                loss = functional.mse_loss(compiled(pressure, ground), sour)
                loss.backward()
                optimizer.step()
            for callback in callbacks:
                callback.on_epoch_end()


if __name__ == "__main__":
    main()
