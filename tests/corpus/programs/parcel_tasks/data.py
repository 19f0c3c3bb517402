"""Parcels seen by three cameras; each batch is labelled for one task."""

import torch

TASKS = {"damage": 2, "size": 4, "carrier": 6}


def make_task(name, rows, seed):
    g = torch.Generator().manual_seed(seed)
    features = torch.randn(rows, 20, generator=g)
    labels = features[:, : TASKS[name]].argmax(1)
    return features, labels


def round_robin(rows=64, batch_size=16, rounds=4):
    tables = {name: make_task(name, rows, seed) for seed, name in enumerate(TASKS)}
    for r in range(rounds):
        lo = (r * batch_size) % rows
        for name, (features, labels) in tables.items():
            yield {
                "task": name,
                "features": features[lo : lo + batch_size],
                "labels": labels[lo : lo + batch_size],
            }
