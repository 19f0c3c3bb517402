"""A trainer that compiles what it can."""

from dataclasses import dataclass

import torch
from schedules import get_scheduler
from torch import nn


@dataclass
class TrainingArguments:
    learning_rate: float = 3e-3
    weight_decay: float = 0.01
    lr_scheduler_type: str = "cosine_with_warmup"
    warmup_steps: int = 3
    max_steps: int = 12
    max_grad_norm: float = 1.0
    compile_optimizer: bool = True
    backend: str = "eager"


class Trainer:
    def __init__(self, model, args, loader, loss_function):
        self.model, self.args, self.loader = model, args, loader
        self.loss_function = loss_function
        self.optimizer = self.create_optimizer()
        self.scheduler = get_scheduler(
            args.lr_scheduler_type, self.optimizer, args.warmup_steps, args.max_steps
        )
        self.update = self.optimizer.step
        if args.compile_optimizer:
            self.update = torch.compile(self._update, backend=args.backend)

    def create_optimizer(self):
        decayed = [p for p in self.model.parameters() if p.dim() > 1]
        others = [p for p in self.model.parameters() if p.dim() <= 1]
        groups = [
            {"params": decayed, "weight_decay": self.args.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=self.args.learning_rate)

    def _update(self):
        self.optimizer.step()

    def batches(self):
        while True:
            yield from self.loader

    def train(self):
        self.model.train()
        for step, (inputs, targets) in zip(
            range(self.args.max_steps), self.batches(), strict=False
        ):
            loss = self.loss_function(self.model(inputs), targets)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.args.max_grad_norm)
            self.update()
            self.scheduler.step()
            self.optimizer.zero_grad()
            if step % 4 == 0:
                print({"step": step, "loss": round(loss.item(), 3)})
