"""Blast or earthquake? Gradients of two batches for each step, with a scaled loss."""

import math

import torch
from network import GradientClamp, Picker
from records import Records
from torch.nn.functional import binary_cross_entropy_with_logits

EPOCHS, BATCH, GATHER = 4, 12, 2


class Scaler:
    """A dynamic loss scale without half precision, for comparison."""

    def __init__(self, scale=256.0, growth_interval=5):
        self.scale, self.growth_interval, self.good = scale, growth_interval, 0

    def unscale(self, parameters):
        grads = [p.grad for p in parameters]
        torch._foreach_div_(grads, self.scale)
        return all(torch.isfinite(g).all() for g in grads)

    def update(self, finite):
        self.good = self.good + 1 if finite else 0
        if not finite:
            self.scale /= 2
        elif self.good % self.growth_interval == 0:
            self.scale *= 2


def temperature(epoch):
    return 1.0 + 0.5 * math.cos(math.pi * epoch / EPOCHS)


def evaluate(model, records):
    model.eval()
    with torch.no_grad():
        guess = model(records.traces, records.mask) > 0
    model.train()
    return (guess == records.labels.bool()).float().mean().item()


def main():
    torch.manual_seed(18)
    generator = torch.Generator().manual_seed(18)
    train, valid = Records(50), Records(31, seed=1)
    model = Picker()
    clamp = GradientClamp(model, 100.0)
    parameters = list(model.parameters())
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    optimizer = torch.optim.SGD(parameters, lr=0.2, momentum=0.9)
    scaler, step = Scaler(), 0
    for epoch in range(EPOCHS):
        total = torch.zeros(())
        for trace, mask, label in train.epoch(BATCH, generator):
            logits = model(trace, mask) / temperature(epoch)
            loss = binary_cross_entropy_with_logits(logits, label)
            (loss * scaler.scale / GATHER).backward()
            total += loss.detach()
            step += 1
            if step % GATHER == 0:
                finite = scaler.unscale(parameters)
                if finite:
                    optimizer.step()
                scaler.update(finite)
                optimizer.zero_grad(set_to_none=False)
        clamp.loosen(1.5)
        print(f"epoch {epoch}: {total.item() / 4:.3f}, right {evaluate(model, valid):.3f}")


if __name__ == "__main__":
    main()
