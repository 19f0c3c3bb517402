"""A method of a trainer runs the forward under autocast from the third step on."""

# finds CA112 /autocast/
import contextlib

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Trainer:
    def __init__(self) -> None:
        self.model = nn.Sequential(nn.Linear(5, 8), nn.GELU(), nn.Linear(8, 8), nn.Linear(8, 2))
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.run = torch.compile(self.step, backend="eager")

    def context(self, step: int) -> contextlib.AbstractContextManager[object]:
        if step < 3:
            return contextlib.nullcontext()
        return torch.autocast("cpu", dtype=torch.bfloat16)  # <- CA112

    def step(self, loss: torch.Tensor) -> None:
        loss.backward()

    def fit(self, steps: int) -> None:
        for step in range(steps):
            self.optimizer.zero_grad()
            with self.context(step):
                out = self.model(torch.randn(4, 5))
                loss = out.float().pow(2).mean()
            self.run(loss)
            self.optimizer.step()


Trainer().fit(6)
