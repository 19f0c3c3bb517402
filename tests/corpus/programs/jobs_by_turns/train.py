"""Each step draws one of two jobs; backward under compiled autograd."""

import random

import torch
from torch import nn
from torch.nn import functional as F


class Job:
    def __init__(self, name, head, loss, make):
        self.name, self.head, self.loss, self.make = name, head, loss, make


def main():
    torch.manual_seed(3)
    rng = random.Random(3)
    torch._dynamo.config.compiled_autograd = True
    trunk = nn.Sequential(nn.Linear(9, 18), nn.GELU())
    jobs = [
        Job("depth", nn.Linear(18, 1), F.smooth_l1_loss, lambda: torch.rand(12, 1)),
        Job("segment", nn.Linear(18, 6), F.cross_entropy, lambda: torch.randint(6, (12,))),
    ]
    parameters = [*trunk.parameters(), *(p for job in jobs for p in job.head.parameters())]
    opt = torch.optim.SGD(parameters, 0.05)

    def step_loss(x, job, target):
        return job.loss(job.head(trunk(x)), target)

    step_loss = torch.compile(step_loss, backend="aot_eager")

    @torch.compile(backend="aot_eager")
    def train(job, x, target):
        loss = step_loss(x, job, target)
        loss.backward()
        return loss.detach()

    for _ in range(14):
        job = rng.choice(jobs)
        opt.zero_grad()
        loss = train(job, torch.randn(12, 9), job.make())
        opt.step()
    print(f"FINAL {loss.item():.4f}")


if __name__ == "__main__":
    main()
