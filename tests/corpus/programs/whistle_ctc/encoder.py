from nets_utils import make_non_pad_mask
from torch import nn


class ConvModule(nn.Module):
    def __init__(self, channels, kernel_size=5):
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.pointwise = nn.Conv1d(channels, 2 * channels, 1)
        self.depthwise = nn.Conv1d(
            channels, channels, kernel_size, padding=kernel_size // 2, groups=channels
        )

    def forward(self, x, mask):
        y = self.norm(x) * mask.unsqueeze(-1)
        y = nn.functional.glu(self.pointwise(y.transpose(1, 2)), dim=1)
        return x + self.depthwise(y).transpose(1, 2)


class ConformerLite(nn.Module):
    def __init__(self, n_mels, vocab, width=32, blocks=2):
        super().__init__()
        self.embed = nn.Linear(n_mels, width)
        self.blocks = nn.ModuleList([ConvModule(width) for _ in range(blocks)])
        self.after_norm = nn.LayerNorm(width)
        self.ctc_lo = nn.Linear(width, vocab)

    def forward(self, mels, lengths):
        mask = make_non_pad_mask(lengths, mels)
        x = self.embed(mels)
        for block in self.blocks:
            x = block(x, mask)
        return self.ctc_lo(self.after_norm(x)).log_softmax(-1), lengths
