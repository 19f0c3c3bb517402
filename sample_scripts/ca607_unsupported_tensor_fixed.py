"""The same batch as one tensor of all rows.

A linear layer does not need to know where a sentence ends.

    ca run sample_scripts/ca607_unsupported_tensor_fixed.py

What to look for: no finding: one capture, two hits.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Linear(6, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sentences = [torch.randn(length, 6) for length in (2, 3, 5)]
    backward_compiler = torch.compile(backend="aot_eager")

    for step in range(3):
        optimizer.zero_grad(set_to_none=True)
        batch = torch.cat(sentences)
        loss = model(batch).square().mean()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
