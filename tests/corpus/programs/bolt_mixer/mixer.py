from layers import DropPath, Mlp, PatchEmbed
from torch import nn

_model_entrypoints = {}


def register_model(fn):
    _model_entrypoints[fn.__name__] = fn
    return fn


def create_model(name, **kwargs):
    return _model_entrypoints[name](**kwargs)


class MixerBlock(nn.Module):
    def __init__(self, dim, seq_len, drop_path):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mlp_tokens = Mlp(seq_len, 2 * seq_len)
        self.mlp_channels = Mlp(dim, 2 * dim)
        self.drop_path = DropPath(drop_path)

    def forward(self, x):
        x = x + self.drop_path(self.mlp_tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2))
        return x + self.drop_path(self.mlp_channels(self.norm2(x)))


class MlpMixer(nn.Module):
    def __init__(self, num_classes=3, img_size=16, patch_size=4, embed_dim=16, depth=2):
        super().__init__()
        self.stem = PatchEmbed(patch_size, 3, embed_dim)
        seq_len = (img_size // patch_size) ** 2
        self.blocks = nn.Sequential(*(MixerBlock(embed_dim, seq_len, 0.05) for _ in range(depth)))
        self.norm = nn.LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.stem(x))).mean(1))

    def set_drop_path(self, rate: float):
        for module in self.modules():
            if isinstance(module, DropPath):
                module.drop_prob = rate


@register_model
def mixer_bolt16(**kwargs):
    return MlpMixer(img_size=16, patch_size=4, embed_dim=16, **kwargs)
