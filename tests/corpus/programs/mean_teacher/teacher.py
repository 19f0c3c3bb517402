"""A teacher whose weights are a moving average of the student's."""

import torch
from torch.func import functional_call


class MeanTeacher:
    def __init__(self, student, decay=0.95):
        self.student = student
        self.decay = decay
        self.weights = {name: p.detach().clone() for name, p in student.named_parameters()}
        self.updates = 0

    @property
    def current_decay(self):
        # The average follows quickly at first.
        return min(self.decay, (1 + self.updates) / (4 + self.updates))

    def update(self):
        rate = 1 - self.current_decay
        for name, parameter in self.student.named_parameters():
            self.weights[name] = torch.lerp(self.weights[name], parameter, rate)
        self.updates += 1

    def __call__(self, inputs):
        logits = functional_call(self.student, self.weights, (inputs,))
        return torch.softmax(logits, -1)
