"""The loop: accumulates, clips, evaluates, stops early."""

import copy
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class EarlyStopping:
    patience: int = 2
    best: float = float("inf")
    bad: int = 0
    weights: dict = field(default_factory=dict)

    def update(self, value, model):
        if value < self.best:
            self.best, self.bad = value, 0
            self.weights = copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad > self.patience


class Engine:
    def __init__(self, model, optimizer, criterion, accumulate=2, clip=1.0):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion
        self.accumulate, self.clip = accumulate, clip
        self.step = torch.compile(self.training_step, backend="aot_eager")
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def training_step(self, inputs, targets):
        loss = self.criterion(self.model(inputs), targets) / self.accumulate
        loss.backward()
        return loss.detach()

    def train(self, loader):
        self.model.train()
        total = 0.0
        for number, (inputs, targets) in enumerate(loader, start=1):
            total += self.step(inputs, targets).item()
            if number % self.accumulate == 0:
                nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=False)
        return total

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        losses = [self.criterion(self.model(inputs), targets) for inputs, targets in loader]
        return torch.stack(losses).mean().item()
