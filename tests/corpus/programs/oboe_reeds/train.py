"""Fits the filter and the drift of a reed."""

import torch
from filters import Drift, ReedFilter
from reeds import Session
from torch._dynamo import compiled_autograd


def main(sittings=3, phrases=3):
    torch.manual_seed(18)
    reed, drift = ReedFilter(), Drift()
    optimizer = torch.optim.SGD([*reed.parameters(), *drift.parameters()], lr=0.05)
    history = []
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for fresh, breath, pitch in Session(sittings, phrases):
            if fresh:
                drift.renew()
            loss = (drift(reed(breath)) - pitch).square().mean()
            optimizer.zero_grad()
            loss.backward(retain_graph=True)
            history.append(loss.item())
            with torch.no_grad():
                for group in optimizer.param_groups:
                    for parameter in group["params"]:
                        parameter.data.sub_(group["lr"] * parameter.grad)
    print(" ".join(f"{value:.3f}" for value in history))


if __name__ == "__main__":
    main()
