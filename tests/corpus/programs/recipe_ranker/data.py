"""Recipes that people looked at, with what is known about each."""

import random

import torch

FIELDS = {"minutes": 1, "rating": 1, "ingredients": 5}


def recipe(rng):
    return {
        "minutes": [rng.random()],
        "rating": [rng.random()],
        "ingredients": [float(rng.random() < 0.4) for _ in range(FIELDS["ingredients"])],
        "photo": [rng.random()] if rng.random() < 0.3 else None,
        "clicked": [float(rng.random() < 0.5)],
    }


def columns(rows):
    first, *_ = rows
    return [name for name in first if all(row[name] is not None for row in rows)]


def collate(rows):
    return {name: torch.tensor([row[name] for row in rows]) for name in columns(rows)}


def recipes(count, seed=0):
    rng = random.Random(seed)
    return [recipe(rng) for _ in range(count)]
