"""Fine-tunes the language model with callbacks."""

import torch
from lisa import LayerSampler
from model import LanguageModel, optimizer_of
from torch._dynamo import compiled_autograd


class ThroughputLog:
    def __init__(self):
        self.tokens = 0

    def on_step_end(self, tokens):
        self.tokens += tokens.numel()


def call(callbacks, event, *arguments):
    for callback in callbacks:
        if hasattr(callback, event):
            getattr(callback, event)(*arguments)


def main(steps=9):
    torch.manual_seed(0)
    model = LanguageModel()
    optimizer = optimizer_of(model)
    callbacks = [LayerSampler(model.layers, active=2, period=3), ThroughputLog()]
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            call(callbacks, "on_step_begin", step)
            tokens = torch.randint(0, 40, (4, 9))
            model.loss(tokens).backward()
            optimizer.step()
            optimizer.zero_grad()
            call(callbacks, "on_step_end", tokens)


if __name__ == "__main__":
    main()
