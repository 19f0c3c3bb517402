"""As gradients are added up, and a compiled forward meets a short batch in each epoch."""

# finds CA201 /set_to_none/
# finds CA101 /drop_last/
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch._dynamo.config.compiled_autograd = True


def batches() -> DataLoader[tuple[torch.Tensor, ...]]:
    images = torch.randn(23, 3, 6, 6)
    return DataLoader(TensorDataset(images, torch.randint(0, 4, (23,))), batch_size=5)  # <- CA101


model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 4))
compiled = torch.compile(model, backend="aot_eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


def train_epoch(every: int) -> None:
    loader = batches()
    for number, (x, y) in enumerate(loader):
        backward(nn.functional.cross_entropy(compiled(x), y) / every)
        if (number + 1) % every == 0 or number + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)  # <- CA201


for _ in range(3):
    train_epoch(2)
