"""Readers, books and who borrowed what."""

import torch


class Loans:
    def __init__(self, readers=12, books=20, loans=60):
        self.readers, self.books = readers, books
        self.reader = torch.randint(readers, (loans,))
        self.book = torch.randint(books, (loans,))
        self.overdue = (self.reader + self.book) % 3 == 0

    def epochs(self, count):
        """Loans in another order for each epoch."""
        for _ in range(count):
            order = torch.randperm(len(self.reader))
            yield self.reader[order], self.book[order], self.overdue[order]
