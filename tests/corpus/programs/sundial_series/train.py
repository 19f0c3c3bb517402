"""Truncated backpropagation through time on a few stations."""

import argparse

import torch
from dataset import SunSeries
from rnn import Forecaster, gaussian_nll
from sampling import InverseSigmoid
from torch import nn
from torch._dynamo import compiled_autograd


def scaled(factor):
    return lambda grad: grad * factor


def run_epoch(model, series, optimizer, sampler, args, totals):
    h = model.initial(series.values.size(0))
    for number, (values, observed) in enumerate(series.chunks(args.width)):
        if number == args.chunks:
            break
        own = sampler.mask(values[:, :-1].shape)
        outputs, h = model(values[:, :-1], observed[:, :-1], h, own)
        h.register_hook(scaled(0.5))
        drift = h.square().mean()
        h = h.detach()
        if torch.rand(()) < args.reset:
            h = torch.zeros_like(h)
        loss = gaussian_nll(outputs, values[:, 1:], observed[:, 1:].float())
        weight = min(1.0, (number + 1) / 4)
        objective = loss + torch.tensor(args.drift * weight) * drift
        optimizer.zero_grad()
        with compiled_autograd._enable(torch.compile(backend=args.backend)):
            (objective / args.width).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        totals["loss"] += loss.item()
        totals["count"] += 1
        totals["best"] = min(totals.get("best", loss.item()), loss.item())


@torch.no_grad()
def forecast(model, series, width, horizon):
    values, observed = next(iter(series.chunks(width + horizon)))
    own = torch.arange(width + horizon).expand(len(values), -1) >= width
    outputs, _ = model(values[:, :-1], observed[:, :-1], model.initial(len(values)), own)
    return (outputs[0, :, -horizon:] - values[:, -horizon:]).abs().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--width", type=int, default=6)
    parser.add_argument("--chunks", type=int, default=7)
    parser.add_argument("--reset", type=float, default=0.2)
    parser.add_argument("--drift", type=float, default=0.01)
    parser.add_argument("--backend", default="aot_eager")
    args = parser.parse_args()
    torch.manual_seed(11)
    series, model, sampler = SunSeries(), Forecaster(), InverseSigmoid()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        totals = {"loss": 0.0, "count": 0}
        model.train(epoch % 2 == 0)
        run_epoch(model, series, optimizer, sampler, args, totals)
        error = forecast(model, series, args.width, horizon=4)
        print(f"{epoch} {totals['loss'] / totals['count']:.3f} {totals['best']:.3f} {error:.3f}")


if __name__ == "__main__":
    main()
