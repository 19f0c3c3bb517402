"""Forecasts the next minute at each gate."""

import argparse

import torch
from station import days
from tcn import Flow


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gates", type=int, default=4)
    parser.add_argument("--days", type=int, default=12)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--backend", default="eager")
    return parser.parse_args()


def main(options):
    torch.manual_seed(0)
    flow = Flow(options.gates)
    forecast = torch.compile(flow, backend=options.backend, dynamic=True, fullgraph=True)
    optimizer = torch.optim.SGD(flow.parameters(), lr=options.lr, momentum=0.9, nesterov=True)
    history = {}
    for number, (counts, weekday) in enumerate(days(options.days, options.gates)):
        series = counts.T[None] + 0.1 * weekday
        guess = forecast(series[..., :-1])
        loss = torch.nn.functional.smooth_l1_loss(guess, series[..., 1:], beta=1 / (number + 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for group in optimizer.param_groups:
            group["lr"] = options.lr / (1 + 0.1 * number)
        history[number] = loss.item()
    print({number: round(value, 3) for number, value in history.items() if number % 4 == 3})


if __name__ == "__main__":
    main(options())
