import torch

from report import drift


@torch.compile(backend="aot_eager")
def force(place):
    away = place[:, None] - place[None]
    near = (away.square().sum(-1) + 0.1).rsqrt()
    return -(away * near[..., None] ** 3).sum(1)


@torch.compile(backend="aot_eager")
def energy(place, speed):
    away = place[:, None] - place[None]
    near = (away.square().sum(-1) + 0.1).rsqrt()
    return 0.5 * speed.square().sum() - 0.5 * (near.sum() - near.diagonal().sum())


def main():
    torch.manual_seed(9)
    place, speed = torch.randn(5, 3), 0.1 * torch.randn(5, 3)
    energies, total = [], 0.0
    for step in range(12):
        speed = speed + 0.01 * force(place)
        place = place + 0.01 * speed
        energies.append(energy(place, speed).item())
        if step % 4 == 3:
            total += drift(energies)
    print("FINAL %.5f" % (total + place.abs().sum().item()))


main()
