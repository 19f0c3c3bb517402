"""The activation is read from the configuration's text in every step."""

# finds CA706 /once/
from collections.abc import Callable

import torch

CONFIG = {"activation": "lambda x: x.sigmoid() * x"}
Activation = Callable[[torch.Tensor], torch.Tensor]


def activation_of(config: dict[str, str]) -> Activation:
    found: Activation = eval(config["activation"])  # <- CA706
    return found


@torch.compile(backend="eager")
def layer(x: torch.Tensor, activation: Activation) -> torch.Tensor:
    return activation(x) + 1


for _ in range(4):
    layer(torch.randn(6), activation_of(CONFIG))  # <- CA706
