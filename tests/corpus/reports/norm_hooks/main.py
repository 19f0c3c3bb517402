"""Watches gradient norms with hooks while the backward is compiled."""
import torch
from torch import nn
import torch.nn.functional as F
from torch._dynamo import compiled_autograd


def compile_backward(graph):
    return torch.compile(graph, backend="eager")


class NormWatch:
    def __init__(self, model):
        self.model = model
        self.norms = {name: torch.zeros(()) for name, _ in model.named_parameters()}

    def attach(self):
        for name, parameter in self.model.named_parameters():
            def record(p, name=name):
                self.norms[name] = p.grad.detach().norm()
            parameter.register_post_accumulate_grad_hook(record)

    def summary(self):
        return sum(float(norm) for norm in self.norms.values())


def main():
    torch.manual_seed(41)
    generator = torch.Generator().manual_seed(41)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    watch = NormWatch(model)
    for step in range(7):
        watch.attach()
        x = torch.randn(24, 8, generator=generator)
        loss = F.mse_loss(model(x).squeeze(-1), x.sum(dim=1))
        with compiled_autograd._enable(compile_backward):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step} loss {loss.item():.5f} norms {watch.summary():.4f}")


if __name__ == "__main__":
    main()
