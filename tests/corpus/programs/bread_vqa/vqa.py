"""Words attend to regions."""

from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * width, bias=False)
        self.scale = width**-0.5

    def forward(self, words, regions):
        keys, values = self.kv(regions).chunk(2, -1)
        weights = (self.q(words) @ keys.mT * self.scale).softmax(-1)
        return words + weights @ values


class BreadVQA(nn.Module):
    def __init__(self, width=16, answers=5):
        super().__init__()
        self.look, self.read = nn.Linear(10, width), nn.Embedding(40, width)
        self.cross = CrossAttention(width)
        self.answer = nn.Linear(width, answers)
        self.verbose = False

    def forward(self, regions, words):
        hidden = self.cross(self.read(words), self.look(regions).relu())
        if self.verbose:
            print("attended", hidden.shape)
        return self.answer(hidden.amax(1))
