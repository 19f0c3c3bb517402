"""Trains the speaker encoder on synthetic spectra."""

import torch
from encoder import SpeakerEncoder
from probes import GradientNorms
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Trainer:
    def __init__(self, model, callbacks):
        self.model = model
        self.callbacks = callbacks
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def call(self, event, *arguments):
        for callback in self.callbacks:
            getattr(callback, event)(self.model, *arguments)

    def fit(self, steps):
        self.call("on_train_begin")
        for step in range(steps):
            self.call("on_step_begin", step)
            spectra = torch.randn(8, 20, 12)
            speakers = torch.randint(0, 6, (8,))
            self.optimizer.zero_grad()
            functional.cross_entropy(self.model(spectra), speakers).backward()
            self.optimizer.step()
            self.call("on_step_end", step)


if __name__ == "__main__":
    torch.manual_seed(3)
    trainer = Trainer(SpeakerEncoder(), [GradientNorms()])
    with compiled_autograd._enable(torch.compile(backend="eager")):
        trainer.fit(8)
