"""Images that come channels-last in some steps, as a loader with two sources may give them.

The memory format is not a part of compiled autograd's key, so the backward hits. But Dynamo
has compiled the captured graph for one order of strides, and does so again for the other.

    ca run sample_scripts/ca111_stride_change_bad.py

What to look for: CA111, with the tensor whose stride changed; no capture but the first.
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
        if step % 2:
            images = images.to(memory_format=torch.channels_last)  # <- CA111
        optimizer.zero_grad()
        loss = model(images).mean()
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
