"""Distills a network under accelerate."""

import torch
from accelerate import Accelerator
from distill import Distillation, DistillConfig
from students import Net
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    config = DistillConfig()
    accelerator = Accelerator(cpu=True)
    task = Distillation(Net(32), Net(12), config)
    optimizer = torch.optim.AdamW([*task.student.parameters(), *task.adapt.parameters()], lr=1e-3)
    data = TensorDataset(torch.randn(24, 10), torch.randint(0, 5, (24,)))
    task, optimizer, loader = accelerator.prepare(
        task, optimizer, DataLoader(data, batch_size=8, shuffle=True)
    )
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(config.epochs):
            task.epoch = epoch
            for x, labels in loader:
                loss = task(x, labels)
                optimizer.zero_grad()
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(task.parameters(), 1.0)
                optimizer.step()


if __name__ == "__main__":
    main()
