"""Trains one forecaster for all stations."""

import itertools

import torch
from forecaster import QuantileForecaster, pinball
from series import STATIONS, Reader


def interleaved(readers, rounds):
    for _ in range(rounds):
        yield from itertools.chain.from_iterable(reader.windows(2) for reader in readers)


def main():
    torch.manual_seed(0)
    net = QuantileForecaster()
    forecast = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.NAdam(net.parameters(), lr=1e-2)
    readers = [Reader(station) for station in STATIONS]
    for history, future in interleaved(readers, rounds=2):
        answer = forecast(history)
        if future.dim() == 2:
            future = torch.stack([future, future], -1)
        loss = pinball(answer, future, net.quantiles)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
