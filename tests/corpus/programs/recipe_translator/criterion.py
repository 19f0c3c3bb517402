import torch.nn.functional as F
from vocab import PAD


def translation_loss(logits, target, smoothing=0.1):
    flat = logits.flatten(0, 1)
    return F.cross_entropy(flat, target.flatten(), ignore_index=PAD, label_smoothing=smoothing)


def length_loss(length, target):
    """The predicted logarithm of the number of tokens, which noisy parallel decoding wants."""
    wanted = (target != PAD).sum(1).float().log()
    return F.smooth_l1_loss(length, wanted)
