import torch
from fabric import jitter
from torch.nn.functional import binary_cross_entropy_with_logits


class GradientAccumulation:
    def __init__(self, optimizer, micro_batches):
        self.optimizer, self.micro_batches, self.done = optimizer, micro_batches, 0
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.grad = torch.zeros_like(parameter)

    def backward(self, loss):
        (loss / self.micro_batches).backward()
        self.done += 1
        if self.done % self.micro_batches == 0:
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=False)


def temperature(epoch):
    return 1.0 + 0.5**epoch


def train_epoch(model, loader, accumulation, epoch, generator):
    model.train()
    total = 0.0
    for step, (images, labels) in enumerate(loader):
        logits = model(jitter(images, epoch, generator)) / temperature(epoch)
        point = binary_cross_entropy_with_logits(logits, labels.float(), reduction="none")
        weight = (1 + epoch * labels).float()
        loss = (weight * point).mean() * (1.0 if step % 2 else 0.9)
        accumulation.backward(loss)
        total += loss.item()
    return total / len(loader)


def evaluate(model, loader):
    model.eval()
    right, seen = 0, 0
    with torch.no_grad():
        for images, labels in loader:
            right += ((model(images) > 0) == labels.bool()).sum().item()
            seen += len(labels)
    return right / seen
