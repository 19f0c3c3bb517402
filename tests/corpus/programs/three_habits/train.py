"""Trains the tagger."""

import torch
from model import Tagger
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    words = torch.randint(0, 40, (19, 7))
    loader = DataLoader(TensorDataset(words, words % 5), batch_size=8)
    tagger = Tagger()
    compiled = torch.compile(tagger, backend="eager")
    optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-2)
    for _epoch in range(2):
        for sentences, tags in loader:
            logits = compiled(sentences)
            loss = functional.cross_entropy(logits.flatten(0, 1), tags.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
