"""Multi-task training: each batch belongs to one task and only that task's head gets gradients."""
import torch
from torch import nn
import torch.nn.functional as F

TASKS = {"colour": 3, "shape": 4, "size": 2, "pose": 5}


class MultiTask(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, width), nn.ReLU())
        self.heads = nn.ModuleDict({name: nn.Linear(width, n) for name, n in TASKS.items()})

    def forward(self, x, task):
        return self.heads[task](self.body(x))


def main():
    torch.manual_seed(18)
    generator = torch.Generator().manual_seed(18)
    model = MultiTask()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend="aot_eager")
    def update():
        optimizer.step()

    names = list(TASKS)
    for step in range(12):
        task = names[step % 4]
        x = torch.randn(16, 8, generator=generator)
        y = x[:, :TASKS[task]].argmax(dim=1)
        loss = F.cross_entropy(model(x, task), y)
        loss.backward()
        update()
        optimizer.zero_grad()
        print(f"step {step:2d} {task:7s} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
