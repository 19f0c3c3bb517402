import torch


def load_rules(size, count):
    """Each rule is a mask over candidates and a threshold."""
    generator = torch.Generator().manual_seed(77)
    masks = torch.rand(count, size, generator=generator) > 0.65
    limits = torch.linspace(0.3, 0.97, count)
    return masks, limits
