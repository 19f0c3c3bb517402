"""What the student learns from the tutor."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class DistillationArguments:
    temperature: float = 2.0
    alpha: float = 0.5
    hint_every: int = 3
    learning_rate: float = 2e-3
    steps: int = 9


class Distiller:
    def __init__(self, student, tutor, widths, args):
        self.student, self.tutor, self.args = student, tutor.eval(), args
        self.project = nn.Linear(*widths)
        self.state_step = 0

    def trainable(self, network):
        return [*network.parameters(), *self.project.parameters()]

    def soft_loss(self, logits, taught):
        t = self.args.temperature
        soft = F.kl_div((logits / t).log_softmax(1), (taught / t).softmax(1), reduction="batchmean")
        return t * t * soft

    def compute_loss(self, batch):
        wants_hints = self.state_step % self.args.hint_every == 0
        self.state_step += 1
        output = self.student(batch["input_ids"], output_hidden_states=wants_hints)
        with torch.no_grad():
            taught = self.tutor(batch["input_ids"], output_hidden_states=wants_hints)
        a = self.args.alpha
        loss = a * F.cross_entropy(output.logits, batch["labels"])
        loss = loss + (1 - a) * self.soft_loss(output.logits, taught.logits)
        if wants_hints:
            hint = self.project(output.hidden_states[-1])
            loss = loss + F.mse_loss(hint, taught.hidden_states[-1])
        return loss
