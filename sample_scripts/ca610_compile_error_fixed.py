"""A backend that has a kernel for each operation of the function.

    ca run sample_scripts/ca610_compile_error_fixed.py

What to look for: one compile.
"""

from collections.abc import Callable

import torch
from torch import fx


def backend(graph: fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., object]:
    if any(node.target is torch.tan for node in graph.graph.nodes):
        raise NotImplementedError("no kernel for tan")
    return graph.forward


def wave(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x) + 1


def main() -> None:
    torch.manual_seed(0)
    fast = torch.compile(wave, backend=backend)
    for step in range(3):
        print(f"step {step}: {fast(torch.randn(4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
