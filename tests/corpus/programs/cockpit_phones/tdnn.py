import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


def length_to_mask(lens, max_len):
    return (torch.arange(max_len)[None, :] < (lens * max_len).round()[:, None]).float()


class InputNormalization(nn.Module):
    """Mean and variance per utterance, over what is not padding."""

    def forward(self, x, mask):
        mask = mask.unsqueeze(-1)
        count = mask.sum(1, keepdim=True)
        mean = (x * mask).sum(1, keepdim=True) / count
        var = ((x - mean).square() * mask).sum(1, keepdim=True) / count
        return (x - mean) / (var + 1e-5).sqrt() * mask


class TDNNBlock(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        padding = dilation * (kernel_size - 1) // 2
        self.conv = nn.Conv1d(channels, channels, kernel_size, padding=padding, dilation=dilation)
        self.norm = nn.LayerNorm(channels)

    def forward(self, x):
        return x + self.norm(torch.relu(self.conv(x.transpose(1, 2)).transpose(1, 2)))


def check_encoded(grad):
    """Alignments of a bad take make the encoder explode: tell, and train on without it."""
    if not torch.isfinite(grad).all():
        logger.warning("gradient of the encoder is not finite; dropped")
        return torch.zeros_like(grad)
    return grad


class PhoneTagger(nn.Module):
    def __init__(self, n_mels, channels, n_phones, dilations):
        super().__init__()
        self.normalize = InputNormalization()
        self.enter = nn.Linear(n_mels, channels)
        self.blocks = nn.ModuleList(TDNNBlock(channels, 3, dilation) for dilation in dilations)
        self.output = nn.Linear(channels, n_phones)

    def encode(self, feats, mask):
        x = self.enter(self.normalize(feats, mask))
        for block in self.blocks:
            x = block(x)
        if x.requires_grad:
            x.register_hook(check_encoded)
        return x

    def forward(self, feats, lens):
        mask = length_to_mask(lens, feats.size(1))
        return self.output(self.encode(feats, mask))
