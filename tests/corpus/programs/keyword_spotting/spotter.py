"""A small convolutional spotter of keywords."""

from torch import nn


def block(inward, outward, dropout):
    return nn.Sequential(
        nn.Conv1d(inward, outward, 3, padding=1, bias=False),
        nn.BatchNorm1d(outward),
        nn.ReLU(),
        nn.Dropout(dropout),
    )


def make_spotter(mels=8, width=12, words=4, dropout=0.2):
    return nn.Sequential(
        block(mels, width, dropout),
        block(width, width, dropout),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(width, words),
    )
