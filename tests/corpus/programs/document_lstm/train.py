"""Truncated backpropagation through time."""

import torch
from documents import build_loader, windows
from tagger import RecurrentTagger
from torch._dynamo import compiled_autograd
from torch.nn import functional

OPTIONS = {
    "documents": 10,
    "length": 6,
    "rows": 4,
    "window": 2,
    "epochs": 1,
    "lr": 0.05,
}


def train_document(model, optimizer, tokens, tags, window):
    state = None
    for begins, piece, wanted in windows(tokens, tags, window):
        if begins:
            state = model.initial_state(len(piece))
        logits, state = model(piece, state)
        loss = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def main():
    torch.manual_seed(0)
    model = RecurrentTagger(vocabulary=20, tags=5)
    optimizer = torch.optim.SGD(model.parameters(), lr=OPTIONS["lr"])
    loader = build_loader(OPTIONS)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(OPTIONS["epochs"]):
            for tokens, tags in loader:
                train_document(model, optimizer, tokens, tags, OPTIONS["window"])


if __name__ == "__main__":
    main()
