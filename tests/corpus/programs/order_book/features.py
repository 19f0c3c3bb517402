"""Features of an order book."""

from functools import wraps


def in_single(feature):
    @wraps(feature)
    def wrapped(book, *rest):
        return feature(book.float(), *rest)

    return wrapped


@in_single
def imbalance(book):
    bids, asks = book[..., 0], book[..., 1]
    return (bids - asks) / (bids + asks + 1e-6)


@in_single
def depth(book, levels):
    return book[..., :levels, :].sum(-2).log1p()
