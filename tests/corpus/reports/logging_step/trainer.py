from collections import defaultdict

import torch


class Trainer:
    def __init__(self, epochs, log_every):
        self.epochs = epochs
        self.log_every = log_every
        self.history = defaultdict(list)

    def record(self, name, value):
        self.history[name].append(value.item())

    def fit(self, module):
        module.attach(self)
        step = torch.compile(module.training_step, backend="eager")
        optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
        for _ in range(self.epochs):
            for batch in module.make_batches(4):
                loss = step(batch)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
