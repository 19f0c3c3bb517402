"""Batches of one size: the short one at the end of each epoch is left out.

The fix of ``ca101_last_batch_bad.py``: ``drop_last=True``. Where no sample may be left out,
``dynamic=True`` on the compiled forward and on the compiled backward.

    ca run sample_scripts/ca101_last_batch_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(22, 6), torch.randint(0, 3, (22,)))
    loader = DataLoader(data, batch_size=8, drop_last=True)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for epoch in range(2):
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
