"""A backend that raises for an operation that it does not know. Ends with an error.

    ca run sample_scripts/ca610_compile_error_bad.py

What to look for: CA610 at the function, with the backend's exception in one line.
"""

from collections.abc import Callable

import torch
from torch import fx


def backend(graph: fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., object]:
    if any(node.target is torch.sin for node in graph.graph.nodes):
        raise NotImplementedError("no kernel for sin")
    return graph.forward


def wave(x: torch.Tensor) -> torch.Tensor:  # <- CA610
    return torch.sin(x) + 1


def main() -> None:
    torch.manual_seed(0)
    fast = torch.compile(wave, backend=backend)
    for step in range(3):
        print(f"step {step}: {fast(torch.randn(4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
