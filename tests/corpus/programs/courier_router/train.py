"""Learns how long couriers take on each road of a city."""

import torch
from graphnet import RoadNet
from schedule import Callbacks, Staged
from torch._dynamo import compiled_autograd


def city(places=14, roads=30, seed=0):
    generator = torch.Generator().manual_seed(seed)
    at = torch.rand(places, 2, generator=generator)
    hilly = torch.rand(places, 1, generator=generator)
    start = torch.randint(places, (roads,), generator=generator)
    end = (start + torch.randint(1, places, (roads,), generator=generator)) % places
    minutes = (at[start] - at[end]).norm(dim=1) * (
        1 + (hilly[end] - hilly[start]).relu().squeeze(1)
    )
    return torch.cat([at, hilly], 1), torch.stack([start, end]), minutes


def main(steps=12):
    torch.manual_seed(0)
    net = RoadNet(features=3)
    forward = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    callbacks = Callbacks(net, Staged("rounds", (1, 2, 4), steps=4))
    places, roads, wanted = city()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(steps):
            with callbacks:
                minutes = forward(places, roads)
                loss = (minutes - wanted).abs().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
