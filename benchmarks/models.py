"""The backwards that the benchmarks capture. Each returns a fresh loss, graph and all."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

Loss = Callable[[], torch.Tensor]
# Of a batch of so many samples, or of samples of such a length
SizedLoss = Callable[[int], torch.Tensor]


def mlp(layers: int) -> Loss:
    """``layers`` linear layers with ReLU between; three autograd nodes a layer."""
    model = nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(layers)))
    x = torch.randn(2, 4)
    return lambda: model(x).sum()


def batched_mlp(layers: int) -> SizedLoss:
    """As `mlp`, 16 wide, on batches of any size."""
    model = nn.Sequential(*(nn.Sequential(nn.Linear(16, 16), nn.ReLU()) for _ in range(layers)))
    return lambda size: model(torch.randn(size, 16)).sum()


def normalized_mlp(layers: int) -> SizedLoss:
    """``layers`` of Linear, GELU and LayerNorm, 64 wide, on batches of any size."""
    model = nn.Sequential(
        *(nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64)) for _ in range(layers))
    )
    return lambda size: model(torch.randn(size, 64)).square().sum()


class Block(nn.Module):
    """A transformer block with its attention written out, as small GPTs have it."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(self.norm_1(x)).chunk(3, dim=-1)
        )
        scores = (q @ k.transpose(-2, -1)) / (width // self.heads) ** 0.5
        mask = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(mixed)
        return x + self.down(nn.functional.gelu(self.up(self.norm_2(x))))


def gpt(layers: int, *, compiled_forward: bool = False) -> Loss:
    """Return a GPT of ``layers`` blocks, 32 wide, on sequences of 8 tokens."""
    vocabulary, width = 64, 32
    embedding = nn.Embedding(vocabulary, width)
    blocks = nn.Sequential(*(Block(width, 4) for _ in range(layers)))
    head = nn.Linear(width, vocabulary)
    tokens = torch.randint(vocabulary, (2, 8))

    def forward() -> torch.Tensor:
        logits = head(blocks(embedding(tokens)))
        return nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())

    return torch.compile(forward, backend="aot_eager") if compiled_forward else forward


def ragged_gpt(layers: int) -> SizedLoss:
    """As `gpt`, on sequences of any length."""
    embedding, head = nn.Embedding(64, 32), nn.Linear(32, 64)
    blocks = nn.Sequential(*(Block(32, 4) for _ in range(layers)))

    def forward(length: int) -> torch.Tensor:
        tokens = torch.randint(64, (2, length))
        logits = head(blocks(embedding(tokens)))
        return nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())

    return forward


class Double(torch.autograd.Function):
    """A custom function, so that every node is a Python one."""

    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: object, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


def custom_functions(depth: int) -> Loss:
    x = torch.randn(4, requires_grad=True)

    def forward() -> torch.Tensor:
        y = x
        for _ in range(depth):
            y = Double.apply(y)
        return y.sum()

    return forward


def many_hooks(hooks: int) -> Loss:
    x = torch.randn(4, requires_grad=True)

    def forward() -> torch.Tensor:
        y = x
        for _ in range(hooks):
            y = y.sin()
            y.register_hook(lambda grad: grad * 1.0)
        return y.sum()

    return forward


def convolutions(blocks: int) -> Loss:
    """Return a ResNet-like stack of convolution, batch norm, ReLU and residual sums."""
    residuals = _residuals(blocks)
    x = torch.randn(2, 4, 8, 8)
    return lambda: residuals(x)


def batched_convolutions(blocks: int) -> SizedLoss:
    """As `convolutions`, on batches of any size."""
    residuals = _residuals(blocks)
    return lambda size: residuals(torch.randn(size, 4, 8, 8))


def _residuals(blocks: int) -> Callable[[torch.Tensor], torch.Tensor]:
    layers = nn.ModuleList(
        nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU())
        for _ in range(blocks)
    )

    def forward(y: torch.Tensor) -> torch.Tensor:
        for layer in layers:
            y = y + layer(y)
        return y.mean()

    return forward


def lstm(length: int) -> Loss:
    model, head = nn.LSTM(8, 8), nn.Linear(8, 1)
    x = torch.randn(length, 2, 8)
    return lambda: head(model(x)[0]).sum()


def encoder(layers: int) -> Loss:
    """Torch's own transformer blocks."""
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, layers)
    x = torch.randn(2, 5, 16)
    return lambda: model(x).sum()
