"""Gradients of two batches are added up, and the last batch of an epoch is short."""

# finds CA201 /set_to_none/
# finds CA101 /drop_last/
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch._dynamo.config.compiled_autograd = True
words = torch.randint(0, 12, (22, 10))
loader = DataLoader(TensorDataset(words[:, :-1], words[:, 1:]), batch_size=4)  # <- CA101


class Language(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(12, 8), nn.Linear(8, 12)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.embed(x)).view(-1, 12)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


model = Language()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    for number, (x, y) in enumerate(loader, 1):
        loss = nn.functional.cross_entropy(model(x), y.reshape(-1)) / 2
        backward(loss)
        if number % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()  # <- CA201
