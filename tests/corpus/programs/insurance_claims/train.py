"""Fits the frequency of claims to both portfolios."""

from itertools import chain

import torch
from frequency import Frequency
from portfolios import CsvPortfolio, SimulatedPortfolio, exported


def main(batch_size=16):
    torch.manual_seed(0)
    model = Frequency()
    likelihood = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    simulated = SimulatedPortfolio(5, batch_size)
    real = CsvPortfolio(exported(74), batch_size)
    for features, claims in chain(simulated, real):
        loss = likelihood(features, claims)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
