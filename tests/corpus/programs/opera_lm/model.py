import torch
from torch import nn


class CausalConvBlock(nn.Module):
    """A gated convolution that sees nothing of what is to come."""

    def __init__(self, dim, dilation):
        super().__init__()
        self.reach = 2 * dilation
        self.norm = nn.LayerNorm(dim)
        self.conv = nn.Conv1d(dim, 2 * dim, 3, dilation=dilation)

    def forward(self, x):
        y = self.norm(x).transpose(1, 2)
        y = self.conv(nn.functional.pad(y, (self.reach, 0)))
        return x + nn.functional.glu(y, dim=1).transpose(1, 2)


class LibrettoLM(nn.Module):
    def __init__(self, vocab, dim=24, dilations=(1, 3)):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.blocks = nn.ModuleList([CausalConvBlock(dim, d) for d in dilations])
        self.head = nn.Linear(dim, vocab)

    def forward(self, input_ids):
        x = self.embed(input_ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class LabelSmoother:
    """Cross entropy in which some probability goes to all other characters."""

    def __init__(self, epsilon=0.1):
        self.epsilon = epsilon

    def __call__(self, logits, labels):
        logits = logits.flatten(0, 1)
        return nn.functional.cross_entropy(
            logits, labels.flatten(), label_smoothing=self.epsilon, ignore_index=0
        )


class ZLoss:
    """Keeps the normalizer of the softmax near one; a few logits are far out at first."""

    def __init__(self, weight=1e-3, delta=1.0):
        self.weight, self.delta = weight, delta

    def __call__(self, logits):
        z = torch.logsumexp(logits, dim=-1)
        return self.weight * nn.functional.huber_loss(z, torch.zeros_like(z), delta=self.delta)
