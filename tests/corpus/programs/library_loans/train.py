"""Learns which loans come back late."""

import torch
from graph import Loans
from network import Library


def main(epochs=5):
    torch.manual_seed(11)
    loans = Loans()
    library = Library(loans)
    library.compile(backend="eager")
    optimizer = torch.optim.Adagrad(library.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for edges in loans.epochs(epochs):
        loss = library(*edges)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()


if __name__ == "__main__":
    main()
