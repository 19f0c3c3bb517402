"""One encoder for each modality, by name."""

from torch import nn

REGISTRY = {}


def register(name):
    def decorate(builder):
        REGISTRY[name] = builder
        return builder

    return decorate


@register("image")
def image_encoder(width):
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 9, width)
    )


@register("text")
def text_encoder(width):
    return nn.Sequential(nn.EmbeddingBag(20, 12), nn.Tanh(), nn.Linear(12, width))


@register("table")
def table_encoder(width):
    return nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, width))


def build(names, width):
    return nn.ModuleDict({name: REGISTRY[name](width) for name in names})
