"""A value of a configuration's dictionary is decayed; the last call of a round has one sample."""

# finds CA702|CA704 /tensor/
# finds CA709 /reshape|dimension/
import torch

config = {"noise": 0.5, "width": 6}


@torch.compile(backend="eager", dynamic=False)
def noisy(samples: torch.Tensor, settings: dict[str, float]) -> torch.Tensor:
    return samples + settings["noise"] * torch.randn_like(samples)


def decay(settings: dict[str, float]) -> None:
    settings["noise"] *= 0.9  # <- CA702|CA704


for _ in range(3):
    decay(config)
    for _ in range(2):
        noisy(torch.randn(4, 6), config)
    noisy(torch.randn(6), config)  # <- CA709
