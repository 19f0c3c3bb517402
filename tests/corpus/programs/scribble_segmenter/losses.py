"""Cross entropy where somebody scribbled."""

from torch.nn import functional


def scribble_loss(maps, labels, weight):
    found = functional.cross_entropy(maps.full, labels, ignore_index=-100)
    if (half := maps.half) is not None:
        found = found + weight * functional.cross_entropy(
            half, labels[:, ::2, ::2], ignore_index=-100
        )
    return found
