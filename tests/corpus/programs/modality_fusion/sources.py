"""Three partners deliver the same columns, exported by different tools."""

import torch


def clinic(size):
    return {
        "image": torch.randn(size, 1, 8, 8),
        "text": torch.randint(0, 20, (size, 5)),
        "table": torch.randn(size, 6),
    }


def registry_office(size):
    return {
        "table": torch.randn(size, 6),
        "text": torch.randint(0, 20, (size, 5)),
        "image": torch.randn(size, 1, 8, 8),
    }


def laboratory(size):
    return {
        "text": torch.randint(0, 20, (size, 5)),
        "image": torch.randn(size, 1, 8, 8),
        "table": torch.randn(size, 6),
    }


PARTNERS = (clinic, registry_office, laboratory)


def batches(count, size):
    for number in range(count):
        yield PARTNERS[number % 3](size), torch.randint(0, 3, (size,))
