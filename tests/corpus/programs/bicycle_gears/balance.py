"""Weighs tasks by how hard they pull at the shared part."""

import torch


class Balance:
    def __init__(self, tasks, shared, every):
        self.weights = dict.fromkeys(tasks, 1.0)
        self.shared, self.every, self.steps = shared, every, 0

    def update(self, losses):
        """Measure the pull, every few steps."""
        self.steps += 1
        if self.steps % self.every:
            return
        pulls = {
            task: torch.autograd.grad(loss, self.shared, retain_graph=True)[0].norm().item()
            for task, loss in losses.items()
        }
        mean = sum(pulls.values()) / len(pulls)
        self.weights = {task: mean / (pull + 1e-6) for task, pull in pulls.items()}

    def total(self, losses):
        return sum(self.weights[task] * loss for task, loss in losses.items())
