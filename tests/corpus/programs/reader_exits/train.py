"""Trains a reader with exits, then answers some requests."""

import torch
from reader import Reader
from service import Service
from torch.nn import functional as F


def train(reader, steps=6, batch=16, length=7):
    optimizer = torch.optim.Adam(reader.parameters(), lr=1e-2)
    for _ in range(steps):
        tokens = torch.randint(0, 40, (batch, length))
        labels = tokens.sum(1) % 3
        answers = reader(tokens)
        loss = sum(F.cross_entropy(answer, labels) for answer in answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(14)
    reader = Reader()
    train(reader)
    service = Service(reader)
    generator = torch.Generator().manual_seed(3)
    for number in range(9):
        request = torch.randint(0, 40, (4, 7), generator=generator).tolist()
        if number % 4 == 2:
            request = request[0]
        print(number, service(request))


if __name__ == "__main__":
    main()
