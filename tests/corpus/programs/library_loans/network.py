"""Messages from books to their readers, and back."""

import torch
from torch import nn
from torch.nn import functional


class Exchange(nn.Module):
    def __init__(self, width, limit=3.0):
        super().__init__()
        self.send = nn.Linear(width, width)
        self.limit = limit

    def forward(self, to, source, at, of):
        messages = self.send(source)[of]
        if messages.abs().max() > self.limit:
            messages = messages * (self.limit / messages.abs().max())
        return to + torch.zeros_like(to).index_add(0, at, messages).tanh()


class Library(nn.Module):
    def __init__(self, loans, width=8):
        super().__init__()
        self.readers = nn.Parameter(torch.randn(loans.readers, width))
        self.books = nn.Parameter(torch.randn(loans.books, width))
        self.to_readers, self.to_books = Exchange(width), Exchange(width)

    def forward(self, reader, book, overdue):
        readers = self.to_readers(self.readers, self.books, reader, book)
        books = self.to_books(self.books, readers, book, reader)
        scores = (readers[reader] * books[book]).sum(-1)
        late = scores[overdue]
        pull = functional.softplus(-late).mean()
        push = (functional.softplus(scores) * ~overdue).mean()
        return pull + push
