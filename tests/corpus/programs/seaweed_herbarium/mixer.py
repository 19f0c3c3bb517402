from functools import partial

from layers import DropPath, LayerScale
from torch import nn

_model_entrypoints = {}


def register_model(fn):
    _model_entrypoints[fn.__name__] = fn
    return fn


def create_model(name, **kwargs):
    return _model_entrypoints[name](**{k: v for k, v in kwargs.items() if v is not None})


class MixerBlock(nn.Module):
    def __init__(self, dim, seq_len, drop_path=0.0, act_layer=nn.GELU):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mlp_tokens = nn.Sequential(
            nn.Linear(seq_len, seq_len), act_layer(), nn.Linear(seq_len, seq_len)
        )
        self.mlp_channels = nn.Sequential(
            nn.Linear(dim, 2 * dim), act_layer(), nn.Linear(2 * dim, dim)
        )
        self.ls1, self.ls2 = LayerScale(dim), LayerScale(dim)
        self.drop_path = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()

    def forward(self, x):
        tokens = self.mlp_tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.drop_path(self.ls1(tokens))
        return x + self.drop_path(self.ls2(self.mlp_channels(self.norm2(x))))


class MlpMixer(nn.Module):
    def __init__(self, num_classes=6, img_size=16, patch=4, dim=16, depth=3, drop_path_rate=0.0):
        super().__init__()
        seq_len = (img_size // patch) ** 2
        self.stem = nn.Conv2d(3, dim, patch, stride=patch)
        block = partial(MixerBlock, dim, seq_len)
        rates = [drop_path_rate * i / max(depth - 1, 1) for i in range(depth)]
        self.blocks = nn.Sequential(*[block(drop_path=rate) for rate in rates])
        self.norm = nn.LayerNorm(dim)
        self.head_drop = nn.Dropout(0.0)
        self.head = nn.Linear(dim, num_classes)

    def forward_features(self, x):
        return self.norm(self.blocks(self.stem(x).flatten(2).transpose(1, 2)))

    def forward_head(self, x, pre_logits: bool = False):
        x = self.head_drop(x.mean(dim=1))
        return x if pre_logits else self.head(x)

    def forward(self, x):
        return self.forward_head(self.forward_features(x))


@register_model
def mixer_nano(**kwargs):
    return MlpMixer(**kwargs)
