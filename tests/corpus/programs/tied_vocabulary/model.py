"""A bigram network whose output may share its weights with the input."""

from torch import nn


class NextPhoneme(nn.Module):
    def __init__(self, inventory, width=12):
        super().__init__()
        self.embed = nn.Embedding(inventory, width)
        self.mix = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width))
        self.logits = nn.Linear(width, inventory, bias=False)

    @property
    def tied(self):
        return self.logits.weight is self.embed.weight

    def tie(self):
        """Let the output use the weights of the input from now on."""
        self.logits.weight = self.embed.weight

    def forward(self, phonemes):
        return self.logits(self.mix(self.embed(phonemes)))
