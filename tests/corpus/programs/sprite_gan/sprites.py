import torch


def sprites(count, size, seed=3):
    """Symmetric blobs in three colours, from -1 to 1."""
    g = torch.Generator().manual_seed(seed)
    half = (torch.rand(count, 1, size, size // 2, generator=g) > 0.45).float()
    shape = torch.cat([half, half.flip(-1)], dim=-1)
    colour = torch.rand(count, 3, 1, 1, generator=g)
    return 2 * shape * colour - 1
