"""Four losses that differ in one operation: four captures.

The cache of compiled autograd is looked up along the autograd graph. A backward that
contains another node than any before it has to be captured, whatever the rest looks like.

    ca run sample_scripts/new_nodes.py

What to look for: four captures and no hit. The first is of kind ``first``; the others are
``new_autograd_node`` and name the node at which the graphs part: ``SubBackward0``,
``MulBackward0``, ``DivBackward0``, each the second NodeCall after the root.
"""

import argparse

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description="bring a new autograd node into each backward")
    parser.add_argument(
        "--backend", default="aot_eager", choices=["eager", "aot_eager", "inductor"]
    )
    backend = parser.parse_args().backend

    torch.manual_seed(0)
    x = torch.randn(4, 4, requires_grad=True)
    backward_compiler = torch.compile(backend=backend, fullgraph=True)
    for op in [torch.add, torch.sub, torch.mul, torch.div]:
        x.grad = None
        # The forward stays eager: its operations are the nodes of the autograd graph.
        loss = op(x, x).sum()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        print(f"{op.__name__}: sum of gradient {x.grad.sum().item():.6f}")


if __name__ == "__main__":
    main()
