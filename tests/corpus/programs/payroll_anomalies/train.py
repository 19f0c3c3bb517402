"""Learns what payslips look like, to find those that do not."""

import torch
from autoencoders import Departments
from payroll import DEPARTMENTS, Payroll
from torch._dynamo import compiled_autograd


def weekly_losses(model, week):
    return {name: model.odd(name, slips).mean() for name, slips in week.items()}


def main(weeks=8):
    torch.manual_seed(0)
    model = Departments(DEPARTMENTS)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    book = []
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for week in Payroll(weeks):
            losses = weekly_losses(model, week)
            optimizer.zero_grad()
            torch.autograd.backward(list(losses.values()))
            optimizer.step()
            book.append({name: loss.item() for name, loss in losses.items()})


if __name__ == "__main__":
    main()
