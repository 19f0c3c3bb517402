"""A function that is passed to a compiled one is made by ``exec`` in every step.

    ca run sample_scripts/ca706_object_identity_bad.py

What to look for: CA706, with the name of the argument.
"""

from collections.abc import Callable
from typing import Any

import torch


def made() -> Callable[[torch.Tensor], torch.Tensor]:
    space: dict[str, Any] = {}
    exec("def twice(x):\n    return x * 2", space)
    function: Callable[[torch.Tensor], torch.Tensor] = space["twice"]
    return function


@torch.compile(backend="eager")
def applied(x: torch.Tensor, function: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    return function(x) + 1


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for step in range(4):
        function = made()  # <- CA706
        print(f"step {step}: {applied(x, function).sum().item():.6f}")


if __name__ == "__main__":
    main()
