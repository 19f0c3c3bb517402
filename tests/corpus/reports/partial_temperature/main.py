from functools import partial

import torch
from torch import nn

from losses import distill


@torch.compile(backend="aot_eager")
def objective(student, teacher, x, criterion):
    return criterion(student(x), teacher(x))


def main():
    torch.manual_seed(7)
    teacher = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 6)).requires_grad_(False)
    student = nn.Linear(12, 6)
    opt = torch.optim.Adam(student.parameters(), lr=0.01)
    total = 0.0
    for step in range(12):
        temperature = 4.0 * 0.9 ** step
        criterion = partial(distill, temperature=temperature, weight=0.5)
        loss = objective(student, teacher, torch.randn(8, 12), criterion)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
