"""Trains speaker embeddings; wrong speakers get harder."""

import torch
from data import Collate, utterances
from model import Embedder, MarginHead
from torch.utils.data import DataLoader


def harden(head, epoch, epochs):
    head.hardness = 0.3 * epoch / max(1, epochs - 1)


def main(epochs=3):
    torch.manual_seed(0)
    torch._dynamo.config.compiled_autograd = True
    loader = DataLoader(list(utterances(12)), batch_size=4, collate_fn=Collate())
    embedder, head = Embedder(), MarginHead()
    parameters = [*embedder.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.05, momentum=0.5)

    @torch.compile(backend="eager")
    def backward(loss):
        loss.backward()

    for epoch in range(epochs):
        harden(head, epoch, epochs)
        for frames, speakers in loader:
            loss = head(embedder(frames), speakers)
            optimizer.zero_grad()
            backward(loss)
            optimizer.step()


if __name__ == "__main__":
    main()
