import torch


def additive_mask(keep, dtype):
    """0/1 padding mask -> additive attention mask; None when nothing is padded."""
    if keep is None:
        return None
    if (keep == 0).any():
        bias = torch.zeros(keep.shape, dtype=dtype).masked_fill(keep == 0, float("-inf"))
        return bias[:, None, None, :]
    return None
