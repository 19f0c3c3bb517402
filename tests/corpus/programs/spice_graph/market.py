"""Which spices are bought together, by relation."""

import torch

RELATIONS = ("bought", "cooked", "grown")


def neighbours(count, spices, generator):
    return torch.randint(spices, (2, count), generator=generator)


def weeks(total, spices=30, edges=40, seed=7):
    """Each week: a list of edges for each relation that was recorded."""
    generator = torch.Generator().manual_seed(seed)
    for week in range(total):
        recorded = RELATIONS if week % 4 else RELATIONS[:2]
        graph = [neighbours(edges, spices, generator) for _ in recorded]
        degree = torch.bincount(graph[0][1], minlength=spices).float()
        yield graph, degree
