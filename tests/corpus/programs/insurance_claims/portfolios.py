"""Policies of two portfolios: one is exported as CSV, one is simulated."""

import io

import numpy as np
import pandas as pd
import torch

COLUMNS = ["age", "power", "years", "region"]


def exported(count, seed=0):
    chance = np.random.default_rng(seed)
    frame = pd.DataFrame(chance.normal(size=(count, len(COLUMNS))), columns=COLUMNS)
    frame["claims"] = chance.poisson(np.exp(0.3 * frame["age"]))
    return io.StringIO(frame.to_csv(index=False))


class CsvPortfolio:
    def __init__(self, file, batch_size):
        self.chunks = pd.read_csv(file, chunksize=batch_size)

    def __iter__(self):
        for chunk in self.chunks:
            columns = [torch.tensor(chunk[name].to_numpy()) for name in COLUMNS]
            claims = torch.tensor(chunk[["claims"]].to_numpy()).float()
            yield torch.stack(columns, dim=1), claims


class SimulatedPortfolio:
    def __init__(self, batches, batch_size):
        self.batches = batches
        self.batch_size = batch_size

    def __iter__(self):
        for _ in range(self.batches):
            features = torch.randn(self.batch_size, len(COLUMNS))
            yield features, torch.poisson(torch.exp(0.3 * features[:, 0]))
