"""Distils a tutor into a smaller student, with hints from hidden states now and then."""

import torch
from distillation import DistillationArguments, Distiller
from modeling import SentenceModel
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


def sentences(count, length=9, vocabulary=50):
    for _ in range(count):
        input_ids = torch.randint(0, vocabulary, (length,))
        yield {"input_ids": input_ids, "labels": input_ids.sum() % 3}


def main():
    torch.manual_seed(6)
    args = DistillationArguments()
    network = SentenceModel(width=16, layers=1)
    student = torch.compile(network, backend="aot_eager")
    distiller = Distiller(student, SentenceModel(width=24, layers=2), (16, 24), args)
    optimizer = torch.optim.AdamW(distiller.trainable(network), lr=args.learning_rate)
    loader = DataLoader(list(sentences(8 * args.steps)), batch_size=8, shuffle=True)
    with compiled_autograd._enable(torch.compile(backend="aot_eager")):
        for step, batch in enumerate(loader):
            loss = distiller.compute_loss(batch)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            print(f"step {step}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
