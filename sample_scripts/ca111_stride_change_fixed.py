"""Images that are channels-last in every step.

The fix of ``ca111_stride_change_bad.py``: one memory format, whatever the loader gives.

    ca run sample_scripts/ca111_stride_change_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 3), nn.Sigmoid())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step in range(4):
        images = torch.randn(5, 3, 8, 8)
        images = images.to(memory_format=torch.channels_last)
        optimizer.zero_grad()
        loss = model(images).mean()
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
