"""An autoencoder around the quantizer."""

from quantizer import Quantizer
from torch import nn
from torch.nn import functional


class Autoencoder(nn.Module):
    def __init__(self, features=12, width=8):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(features, 16), nn.ReLU(), nn.Linear(16, width))
        self.quantize = Quantizer(width=width)
        self.decode = nn.Sequential(nn.Linear(width, 16), nn.ReLU(), nn.Linear(16, features))

    def forward(self, x):
        code, commitment = self.quantize(self.encode(x))
        return functional.mse_loss(self.decode(code), x) + 0.25 * commitment
