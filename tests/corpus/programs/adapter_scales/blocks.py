"""A U-Net's attention blocks, each with a processor object of its own."""

from torch import nn


class PlainProcessor:
    """Computes attention for the module that calls it."""

    def __call__(self, attention, x):
        q, k, v = attention.q(x), attention.k(x), attention.v(x)
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        return scores.softmax(-1) @ v


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.processor = PlainProcessor()

    def set_processor(self, processor):
        self.processor = processor

    def forward(self, x):
        return self.processor(self, x)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attn = Attention(width)
        self.feed = nn.Linear(width, width)

    def forward(self, x):
        x = x + self.attn(self.norm(x))
        return x + self.feed(x).relu()


class Denoiser(nn.Module):
    def __init__(self, width=8, depth=4):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.out = nn.Linear(width, width)

    def compile_repeated_blocks(self, **options):
        for block in self.blocks:
            block.compile(**options)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out(x)
