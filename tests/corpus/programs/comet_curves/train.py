"""Fits the network to a campaign, with restarts of the learning rate."""

import torch
from fitting import Bands, CurveNet
from observing import campaign


def main(comets=96, batch=8):
    torch.manual_seed(1986)
    net = CurveNet(Bands())
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
    restarts = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=6)
    total = 0.0
    for curves, perihelia in campaign(comets, batch):
        guess = model(torch.from_numpy(curves))
        loss = (guess - torch.from_numpy(perihelia)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        restarts.step()
        total += loss.item()
    print(f"off by {90 * total * batch / comets:.1f} days over {net.seen['nights']} nights")


if __name__ == "__main__":
    main()
