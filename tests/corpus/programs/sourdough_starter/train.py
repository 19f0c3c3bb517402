"""Learns what starters do; the free bits go down each week."""

import torch
from starter import weeks
from vae import RiseVAE, divergence


class Beta:
    """Weight of the divergence, and how much of it is free."""

    def __init__(self, top=0.2, free=0.3):
        self.top, self.start = top, free

    def weight(self, week):
        return self.top * min(1.0, (week + 1) / 3)

    def free(self, week):
        return self.start / 2**week


def main(count=4):
    torch.manual_seed(33)
    model, beta = RiseVAE(), Beta()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for week, rise in weeks(count):
        again, mean, log = model(rise)
        fit = (again - rise).square().sum(-1).mean()
        loss = fit + beta.weight(week) * divergence(mean, log, beta.free(week))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"fit {fit.item():.3f}, free {beta.free(week):.3f}")


if __name__ == "__main__":
    main()
