import torch


def make_pad_mask(lengths, xs=None):
    """True where a frame is padding.

    >>> make_pad_mask(torch.tensor([3, 2]))
    tensor([[False, False, False],
            [False, False,  True]])
    """
    bs = lengths.size(0)
    maxlen = int(lengths.max()) if lengths.dim() == 1 else xs.size(1)
    seq_range = torch.arange(0, maxlen, dtype=torch.int64, device=lengths.device)
    seq_range_expand = seq_range.unsqueeze(0).expand(bs, maxlen)
    return seq_range_expand >= lengths.unsqueeze(-1)


def make_non_pad_mask(lengths, xs=None):
    return ~make_pad_mask(lengths, xs)


class SpecAugment:
    """Masks bands of frequency; where they lie is drawn anew for every batch."""

    def __init__(self, width=3, generator=None):
        self.width, self.generator = width, generator

    def __call__(self, mels):
        low = torch.randint(0, mels.size(-1) - self.width, (), generator=self.generator)
        bins = torch.arange(mels.size(-1))
        return mels.masked_fill((bins >= low) & (bins < low + self.width), 0.0)
