"""Fits customers of a day to the shoes that are in stock."""

import torch
from fitting import Fitting

DAYS = ((6, 6), (9, 6), (4, 10), (7, 12), (5, 8), (8, 3))


def day(customers, stock, measures=5):
    return torch.rand(customers, measures), torch.rand(stock, measures)


def main(weeks=2):
    torch.manual_seed(9)
    fitting = Fitting()
    objective = torch.compile(fitting, backend="eager", dynamic=True)
    optimizer = torch.optim.Adam(fitting.parameters(), lr=0.02)
    for _ in range(weeks):
        for sizes in DAYS:
            loss = objective(*day(*sizes))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"{fitting.tally.sure:.2f} sure")


if __name__ == "__main__":
    main()
