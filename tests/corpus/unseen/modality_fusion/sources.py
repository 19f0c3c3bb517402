"""Two partners deliver the same columns, exported by different tools."""

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


def batches(count, size):
    for number in range(count):
        source = registry_office if number % 3 == 1 else clinic
        yield source(size), torch.randint(0, 3, (size,))
