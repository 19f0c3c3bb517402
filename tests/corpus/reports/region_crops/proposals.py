import torch


def propose(image, count):
    """Boxes as x0, y0, x1, y1 in feature cells."""
    generator = torch.Generator().manual_seed(900 + image)
    low = torch.randint(0, 12, (count, 2), generator=generator)
    size = torch.randint(3, 11, (count, 2), generator=generator)
    return torch.cat([low, low + size], 1)
