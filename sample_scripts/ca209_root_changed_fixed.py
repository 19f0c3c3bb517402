"""Two losses in turn, weighted in one sum: the fix of ``ca209_root_changed_bad.py``.

Both losses are always computed; a weight of 0 or 1 says which one counts at this step. The
weights are a tensor, so the backward is the same at each step.

    ca run sample_scripts/ca209_root_changed_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn
from torch.nn import functional


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(6):
        optimizer.zero_grad(set_to_none=True)
        predicted = model(inputs)
        weight = torch.tensor([1.0, 0.0] if step % 2 == 0 else [0.0, 1.0])
        both = [functional.mse_loss(predicted, targets), functional.l1_loss(predicted, targets)]
        loss = (weight * torch.stack(both)).sum()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
