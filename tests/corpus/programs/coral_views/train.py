"""SimCLR on colonies of corals, in one file."""

import torch
import torch.nn.functional as F
from torch import nn


def scaled_gradient(features, factor):
    """The features as they are; their gradient times `factor`."""

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * factor

    return Scale.apply(features)


def jitter(images, generator):
    noise = torch.randn(images.shape, generator=generator)
    gain = 1 + 0.2 * torch.randn(images.shape[0], 1, 1, 1, generator=generator)
    return gain * images + 0.05 * noise


def nt_xent(a, b, temperature=0.2):
    z = F.normalize(torch.cat([a, b]), dim=-1)
    n = a.shape[0]
    logits = z @ z.T / temperature
    logits = logits.masked_fill(torch.eye(2 * n, dtype=torch.bool), -1e9)
    positive = torch.arange(2 * n).roll(n)
    return F.cross_entropy(logits, positive)


def main():
    torch.manual_seed(5)
    generator = torch.Generator().manual_seed(5)
    colonies = torch.rand(8, 3, 16, 16, generator=generator)
    backbone = nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    )  # fmt: skip
    projector = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
    encode = torch.compile(backbone, backend="aot_eager")
    optimizer = torch.optim.SGD(
        [*backbone.parameters(), *projector.parameters()], lr=0.05, momentum=0.9
    )
    for step in range(10):
        views = torch.cat([jitter(colonies, generator), jitter(colonies, generator)])
        features = scaled_gradient(encode(views), 0.5)
        loss = nt_xent(*projector(features).chunk(2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
