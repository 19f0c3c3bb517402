"""A convolutional encoder of spectrograms with learned positions."""

import torch


class LearnedPositions(torch.nn.Module):
    """Begins anywhere in training, so that late positions are learned as well."""

    def __init__(self, max_frames, d_model):
        super().__init__()
        self.table = torch.nn.Parameter(0.02 * torch.randn(max_frames, d_model))

    def forward(self, x):
        frames = x.shape[1]
        start = 0
        if self.training:
            start = int(torch.randint(0, len(self.table) - frames + 1, ()))
        return x + self.table[start : start + frames]


class ConvBlock(torch.nn.Module):
    def __init__(self, d_model, kernel_size=5):
        super().__init__()
        self.norm = torch.nn.LayerNorm(d_model)
        self.depthwise = torch.nn.Conv1d(
            d_model, d_model, kernel_size, padding="same", groups=d_model
        )
        self.pointwise = torch.nn.Linear(d_model, d_model)

    def forward(self, x):
        y = self.depthwise(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.pointwise(torch.nn.functional.silu(y))


class Encoder(torch.nn.Module):
    def __init__(self, n_mels, d_model, num_layers, layerdrop_prob, max_frames):
        super().__init__()
        self.input = torch.nn.Linear(n_mels, d_model)
        self.positions = LearnedPositions(max_frames, d_model)
        self.layers = torch.nn.ModuleList(ConvBlock(d_model) for _ in range(num_layers))
        self.layerdrop_prob = layerdrop_prob

    def forward(self, feats):
        x = self.positions(self.input(feats))
        keep = torch.rand(len(self.layers))
        for i, layer in enumerate(self.layers):
            if not self.training or keep[i] > self.layerdrop_prob:
                x = layer(x)
        return x
