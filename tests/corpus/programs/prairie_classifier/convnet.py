import torch
from torch import nn


def drop_path(x, drop_prob: float = 0.0, training: bool = False):
    if drop_prob == 0.0 or not training:
        return x
    keep_prob = 1 - drop_prob
    shape = (x.shape[0],) + (1,) * (x.ndim - 1)
    random_tensor = x.new_empty(shape).bernoulli_(keep_prob)
    return x * random_tensor / keep_prob


class DropPath(nn.Module):
    def __init__(self, drop_prob: float = 0.0):
        super().__init__()
        self.drop_prob = drop_prob

    def forward(self, x):
        return drop_path(x, self.drop_prob, self.training)


class Block(nn.Module):
    def __init__(self, dim, drop_path=0.0, ls_init_value=1e-2):
        super().__init__()
        self.conv_dw = nn.Conv2d(dim, dim, 3, padding=1, groups=dim)
        self.norm = nn.GroupNorm(1, dim)
        self.mlp = nn.Sequential(nn.Conv2d(dim, 2 * dim, 1), nn.GELU(), nn.Conv2d(2 * dim, dim, 1))
        self.gamma = nn.Parameter(ls_init_value * torch.ones(dim))
        self.drop_path = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()

    def forward(self, x):
        y = self.mlp(self.norm(self.conv_dw(x)))
        return x + self.drop_path(y * self.gamma[:, None, None])


class ConvNeXtLite(nn.Module):
    def __init__(self, dim=12, depth=3, num_classes=5, drop_path_rate=0.2):
        super().__init__()
        rates = [drop_path_rate * i / (depth - 1) for i in range(depth)]
        self.stem = nn.Conv2d(3, dim, 4, stride=4)
        self.blocks = nn.Sequential(*[Block(dim, rate) for rate in rates])
        self.norm = nn.LayerNorm(dim)
        self.head_drop = nn.Dropout(0.1)
        self.head = nn.Linear(dim, num_classes)

    def forward_features(self, x):
        return self.blocks(self.stem(x))

    def forward_head(self, x, pre_logits: bool = False):
        x = self.head_drop(self.norm(x.mean(dim=(2, 3))))
        return x if pre_logits else self.head(x)

    def forward(self, x):
        return self.forward_head(self.forward_features(x))
