import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width, name, watch):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.name = name
        self.watch = watch

    def forward(self, x):
        hidden = torch.relu(self.up(self.norm(x)))
        self.watch.look(self.name, hidden)
        return x + self.down(hidden)


class Model(nn.Module):
    def __init__(self, config, watch):
        super().__init__()
        self.use_checkpoint = config.checkpoint
        self.blocks = nn.ModuleList(Block(config.width, "block", watch) for _ in range(config.depth))

    def forward(self, x):
        for block in self.blocks:
            if self.use_checkpoint:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return x
