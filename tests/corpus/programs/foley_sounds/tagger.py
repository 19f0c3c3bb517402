import torch
from torch import nn


class SpecMask(nn.Module):
    def forward(self, spec, stripes):
        spec = spec.clone()
        begin, end = stripes["time"]
        spec[:, begin:end] = 0
        begin, end = stripes["band"]
        spec[:, :, begin:end] = 0
        return spec


class Tagger(nn.Module):
    def __init__(self, bands, classes, width=16):
        super().__init__()
        self.mask = SpecMask()
        self.conv = nn.Conv1d(bands, width, 5, padding=2)
        self.attend = nn.Linear(width, 1)
        self.out = nn.Linear(width, classes)

    def forward(self, spec, stripes):
        spec = self.mask(spec, stripes)
        x = torch.relu(self.conv(spec.transpose(1, 2))).transpose(1, 2)
        weight = self.attend(x).softmax(dim=1)
        return self.out((weight * x).sum(1))
