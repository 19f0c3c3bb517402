"""Forward and backward compiled with different options.

The config flag takes over whatever the enclosing ``torch.compile`` was told. The context
manager takes a compiler of its own, so the backward can be asked to be one full graph
while the forward is allowed to break, is kept static, or uses another backend.

    ca run sample_scripts/context_manager.py

What to look for: one capture and four hits. The forward's deliberate graph break is in
the forward alone: the captured graph holds the backwards of both its halves, and
``fullgraph=True`` on the backward is not violated.
"""

import argparse

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description="compile the backward with options of its own")
    parser.add_argument(
        "--backend", default="aot_eager", choices=["eager", "aot_eager", "inductor"]
    )
    backend = parser.parse_args().backend

    torch.manual_seed(0)
    first, second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    inputs, targets = torch.randn(16, 8), torch.randn(16, 1)

    @torch.compile(backend=backend, dynamic=False, fullgraph=False)
    def forward(inputs):
        hidden = torch.tanh(first(inputs))
        torch._dynamo.graph_break()
        return second(hidden)

    backward_compiler = torch.compile(backend=backend, fullgraph=True)
    for step in range(5):
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.mse_loss(forward(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")
    print(f"sum of |gradient|: {first.weight.grad.abs().sum().item():.6f}")


if __name__ == "__main__":
    main()
