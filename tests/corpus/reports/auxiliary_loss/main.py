"""Deep supervision: a random number of auxiliary heads takes part in each step, the backward is compiled."""
import torch
from torch import nn
import torch.nn.functional as F
from torch._dynamo import compiled_autograd

USED = [1, 2, 0, 1, 2, 0]


class Supervised(nn.Module):
    def __init__(self, dim=12, depth=2):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.heads = nn.ModuleList(nn.Linear(dim, 3) for _ in range(depth))

    def forward(self, x):
        outputs = []
        for layer, head in zip(self.layers, self.heads):
            x = torch.tanh(layer(x)) + x
            outputs.append(head(x))
        return outputs


def total_loss(outputs, y, used):
    loss = F.cross_entropy(outputs[-1], y)
    for output in outputs[:used]:
        loss = loss + 0.3 * F.cross_entropy(output, y)
    return loss


def main():
    torch.manual_seed(42)
    generator = torch.Generator().manual_seed(42)
    model = Supervised()
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, used in enumerate(USED):
        x = torch.randn(24, 12, generator=generator)
        y = x[:, :3].argmax(dim=1)
        loss = total_loss(model(x), y, used)
        with compiled_autograd._enable(lambda graph: torch.compile(graph, backend="eager")):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        print(f"step {step} heads {used} loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
