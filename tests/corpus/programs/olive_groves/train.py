"""Trains one model by region, in turn, and compares them."""

import torch
from model import fresh
from plots import REGIONS, harvests


def fitted(region, steps=6, lr=1e-2):
    model = fresh()
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    @torch.compile(backend="eager")
    def error(network, weather, harvest):
        return (network(weather) - harvest).square().mean()

    weather, harvest = harvests(region)
    errors = []
    for rows in torch.arange(len(weather)).view(2, -1).repeat(steps // 2, 1):
        loss = error(model, weather[rows], harvest[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        errors.append(loss.detach())
    return torch.stack(errors)


def main():
    torch.manual_seed(0)
    errors = {region: fitted(region) for region in REGIONS}
    worst = max(errors, key=lambda region: errors[region][-1].item())
    print(f"{worst} is hardest: {errors[worst][-1].item():.3f}")


if __name__ == "__main__":
    main()
