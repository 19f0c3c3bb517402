"""A trainer with callbacks."""

import torch
from torch._dynamo import compiled_autograd


class Trainer:
    def __init__(self, max_epochs, callbacks=()):
        self.max_epochs, self.callbacks = max_epochs, callbacks
        self.epoch, self.logged = 0, {}

    def call(self, hook):
        for callback in self.callbacks:
            getattr(callback, hook)(self)

    def fit(self, model, loader):
        self.model, self.optimizer = model, model.configure_optimizers()
        self.call("on_fit_start")
        with compiled_autograd._enable(torch.compile(backend="eager")):
            while self.epoch < self.max_epochs:
                self.call("on_epoch_start")
                for index, batch in enumerate(loader):
                    loss = model.training_step(batch, index)
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                    self.logged["loss"] = loss.item()
                self.call("on_epoch_end")
                self.epoch += 1
