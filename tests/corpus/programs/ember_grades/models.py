"""Registry of models, and a small mixer."""

from torch import nn

_entrypoints = {}


def register_model(fn):
    _entrypoints[fn.__name__] = fn
    return fn


def create_model(name, **kwargs):
    return _entrypoints[name](**kwargs)


class MixerBlock(nn.Module):
    def __init__(self, dim, seq_len, tokens_ratio=0.5, drop=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        tokens = int(dim * tokens_ratio)
        self.mlp_tokens = nn.Sequential(
            nn.Linear(seq_len, tokens), nn.GELU(), nn.Dropout(drop), nn.Linear(tokens, seq_len)
        )
        self.norm2 = nn.LayerNorm(dim)
        self.mlp_channels = nn.Sequential(
            nn.Linear(dim, 2 * dim), nn.GELU(), nn.Dropout(drop), nn.Linear(2 * dim, dim)
        )

    def forward(self, x):
        x = x + self.mlp_tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.mlp_channels(self.norm2(x))


class MlpMixer(nn.Module):
    def __init__(self, num_classes=5, img_size=16, patch_size=4, dim=16, depth=2, drop_rate=0.0):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, patch_size, patch_size)
        seq_len = (img_size // patch_size) ** 2
        self.blocks = nn.Sequential(
            *[MixerBlock(dim, seq_len, drop=drop_rate) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(x)).mean(dim=1))


@register_model
def mixer_tiny_4(**kwargs):
    return MlpMixer(patch_size=4, dim=16, depth=2, **kwargs)
