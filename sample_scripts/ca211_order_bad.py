"""Losses of several tasks, summed in an order that is shuffled at each step.

The sum is the same whatever the order, but the autograd graph is wired in another way, and
the tasks' branches differ, so each order is captured once.

    ca run sample_scripts/ca211_order_bad.py

What to look for: CA211: the same nodes in another order.
"""

import torch
from torch import nn
from torch.nn import functional


def main() -> None:
    torch.manual_seed(0)
    trunk = nn.Linear(6, 8)
    heads = nn.ModuleDict({"depth": nn.Linear(8, 1), "edges": nn.Linear(8, 1)})
    model = nn.ModuleList([trunk, heads])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.rand(16, 1)
    backward_compiler = torch.compile(backend="eager")

    def depth(hidden):
        return functional.mse_loss(heads["depth"](hidden), targets)

    def edges(hidden):
        return functional.binary_cross_entropy_with_logits(heads["edges"](hidden), targets)

    tasks = [depth, edges]
    for step in range(6):
        order = torch.randperm(2).tolist()
        optimizer.zero_grad(set_to_none=True)
        hidden = torch.tanh(trunk(inputs))
        losses = {index: tasks[index](hidden) for index in order}
        loss = losses[order[0]] + losses[order[1]]  # <- CA211
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: order {order}, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
