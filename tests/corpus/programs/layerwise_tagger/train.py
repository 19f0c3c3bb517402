"""Fine-tunes a tagger; its lower layers learn slowly."""

import torch
from accumulate import Accumulator
from discount import discounted, layer_decay
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Tagger(nn.Module):
    def __init__(self, words=30, width=10, tags=4):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.lower = nn.Conv1d(width, width, 3, padding=1)
        self.upper = nn.Conv1d(width, width, 3, padding=1)
        self.head = nn.Linear(width, tags)

    def forward(self, words):
        x = self.embed(words).transpose(1, 2)
        x = self.upper(self.lower(x).relu()).relu()
        return self.head(x.transpose(1, 2))


def sentences(count, rows=5, length=7):
    for _ in range(count):
        words = torch.randint(0, 30, (rows, length))
        yield words, words % 4


def main(epochs=3):
    torch.manual_seed(0)
    model = Tagger()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    accumulator = Accumulator(model, optimizer, every=2)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            with discounted([model.embed, model.lower], layer_decay(epoch)):
                for words, tags in sentences(4):
                    logits = model(words)
                    loss = functional.cross_entropy(logits.flatten(0, 1), tags.flatten())
                    accumulator.backward(loss)


if __name__ == "__main__":
    main()
