from torch import nn


class Reader(nn.Module):
    def __init__(self, words=30, width=12):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.mix = nn.Linear(width, width)
        self.out = nn.Linear(width, 2)
        self.kept = None

    def forward(self, tokens):
        vectors = self.embed(tokens)
        vectors.retain_grad()
        self.kept = vectors
        return self.out(self.mix(vectors).tanh().mean(1))

    def saliency(self):
        """Which position the loss depends on most."""
        return self.kept.grad.norm(dim=-1)
