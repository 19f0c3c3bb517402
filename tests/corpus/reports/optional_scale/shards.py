import torch

from quantized import Quantized


def load_shards(count):
    """Shard files of several generations of the exporter: 4 or 8 bits, scaled or not."""
    made = []
    for number in range(count):
        generator = torch.Generator().manual_seed(70 + number)
        values = torch.randn(16, 8, generator=generator)
        bits = 8 if number % 3 else 4
        scale = values.abs().max() if number % 2 else None
        made.append(Quantized.pack(values, scale, bits))
    return made
