"""Recognizes letters, given the style of who wrote them."""

from styles import StyleBook
from torch import nn


class Recognizer(nn.Module):
    def __init__(self, pixels=36, width=24, letters=10):
        super().__init__()
        self.see = nn.Sequential(nn.Linear(pixels, width), nn.GELU())
        self.style = StyleBook(width)
        self.read = nn.Linear(width, letters)

    def forward(self, letters, writer):
        return self.read(self.style(self.see(letters), writer))
