from torch import nn


class Dilated(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.norm = nn.GroupNorm(4, width)
        self.conv = nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation)

    def forward(self, x):
        return x + self.conv(nn.functional.gelu(self.norm(x)))


class SpliceNet(nn.Module):
    """SpliceAI in small: residual blocks of growing dilation, one score per position."""

    def __init__(self, width=16, dilations=(1, 2, 4)):
        super().__init__()
        self.enter = nn.Conv1d(4, width, 1)
        self.blocks = nn.Sequential(*(Dilated(width, d) for d in dilations))
        self.score = nn.Conv1d(width, 1, 1)

    def forward(self, dna):
        return self.score(self.blocks(self.enter(dna.transpose(1, 2)))).squeeze(1)
