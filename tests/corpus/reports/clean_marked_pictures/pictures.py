import torch

PICTURES = {"harbour": (12, 20), "moth": (16, 16), "roofs": (9, 31), "portrait": (24, 18), "strip": (8, 40)}


def load(name):
    height, width = PICTURES[name]
    generator = torch.Generator().manual_seed(len(name))
    return torch.rand(1, 3, height, width, generator=generator)
