"""Loss scaling, a cosine schedule, weight averaging and a softmax that cools down.

Nothing is wrong here: none of it changes the backward.
"""

import math

import torch
from torch import nn
from torch._dynamo import compiled_autograd


def main():
    torch.manual_seed(0)
    student, teacher = nn.Linear(6, 4), nn.Linear(6, 4).requires_grad_(False)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
    for parameter in student.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            x = torch.randn(8, 6)
            temperature = 0.5 + 0.5 * math.cos(step / 6)
            with torch.no_grad():
                goal = (teacher(x) / 0.1).softmax(-1)
            scale = 2.0 ** (8 + step)
            loss = -(goal * (student(x) / temperature).log_softmax(-1)).sum(-1).mean()
            (loss * scale).backward()
            for parameter in student.parameters():
                parameter.grad.div_(scale)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            schedule.step()
            with torch.no_grad():
                for slow, fast in zip(teacher.parameters(), student.parameters(), strict=True):
                    slow.lerp_(fast, 0.1)


if __name__ == "__main__":
    main()
