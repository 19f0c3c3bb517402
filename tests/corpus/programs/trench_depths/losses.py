import torch


def silog(pred, depth, variance_focus=0.85):
    """Scale-invariant log error (Eigen et al.) over the pixels that have a depth."""
    valid = depth > 1e-3
    d = torch.log(pred[valid]) - torch.log(depth[valid])
    return torch.sqrt((d**2).mean() - variance_focus * d.mean() ** 2) * 10.0


def smoothness(pred, weight=0.01):
    dx = (pred[..., 1:] - pred[..., :-1]).abs().mean()
    dy = (pred[..., 1:, :] - pred[..., :-1, :]).abs().mean()
    return weight * (dx + dy)
