"""Deterministic algorithms are asked for in some steps only.

Dynamo guards on torch's global state: autocast, the number of threads, deterministic
algorithms, default dtype, matmul precision. Where it differs at a backward from what it was
at the compile, the captured graph is compiled again, and so is a compiled function around it.

    ca run sample_scripts/ca112_global_state_bad.py

What to look for: CA112, with the guard ``GLOBAL_STATE changed``; no capture but the first.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step in range(4):
        torch.use_deterministic_algorithms(step == 2)  # <- CA112
        inputs, labels = torch.randn(8, 6), torch.randint(0, 3, (8,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
