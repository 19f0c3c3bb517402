"""A data set of 22 samples in batches of 8: the last batch of each epoch holds 6.

The first short batch brings another size into the backward, so it is captured again, now
with the size as an input; Dynamo compiles that graph for 6 samples and, when the next epoch
begins with 8 again, once more.

    ca run sample_scripts/ca101_last_batch_bad.py

What to look for: CA101, with the two sizes and the step at which the short batch came.
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
    loader = DataLoader(data, batch_size=8)  # <- CA101

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
