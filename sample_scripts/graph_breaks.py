"""Two graph breaks in the forward: three backward graphs, or one.

A graph break splits the forward into graphs of their own, and each brings its own
backward: breaking twice makes three of everything. Compiled autograd looks at the
backward when it runs, where the breaks have left no trace, and captures it as one graph.

The script counts the graphs that Dynamo compiles (``counters["stats"]["unique_graphs"]``)
while a loss is computed and differentiated: three times forward plus backward without
compiled autograd; then for the same loss once more with it, where only the captured
backward is compiled.

    ca run sample_scripts/graph_breaks.py

What to look for: two graph breaks on the two ``graph_break()`` lines, one capture, and
``3`` then ``1`` in the script's own output.
"""

import argparse

import torch
from torch._dynamo.utils import counters


def main() -> None:
    parser = argparse.ArgumentParser(description="count backward graphs around graph breaks")
    parser.add_argument(
        "--backend", default="aot_eager", choices=["eager", "aot_eager", "inductor"]
    )
    backend = parser.parse_args().backend

    torch.manual_seed(0)

    @torch.compile(backend=backend)
    def forward(x):
        y = torch.sin(x) * 2
        torch._dynamo.graph_break()
        y = torch.tanh(y) + x
        torch._dynamo.graph_break()
        return (y * y).sum()

    x = torch.randn(6, 6, requires_grad=True)
    counters.clear()
    loss = forward(x)
    # The loss is differentiated a second time below.
    loss.backward(retain_graph=True)
    print(f"graphs without compiled autograd: {counters['stats']['unique_graphs']}")
    plain = x.grad

    x.grad = None
    counters.clear()
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend=backend, fullgraph=True)):
        loss.backward()
    print(f"graphs with compiled autograd: {counters['stats']['unique_graphs']}")

    print(f"sum of |gradient|: {x.grad.abs().sum().item():.6f}")
    print(f"both gradients agree: {torch.allclose(plain, x.grad)}")


if __name__ == "__main__":
    main()
