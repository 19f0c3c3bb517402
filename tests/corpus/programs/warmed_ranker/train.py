"""Replays requests to the ranking service."""

import random

import torch
from ranker import TwoTower
from service import RankingService


def requests(count, seed=3):
    rng = random.Random(seed)
    for _ in range(count):
        candidates = rng.sample(range(60), rng.randint(4, 40))
        yield {"user": rng.randrange(30), "items": candidates}


def main():
    torch.manual_seed(0)
    service = RankingService(TwoTower().requires_grad_(False))
    service.warm_up()
    answers = [service(request) for request in requests(20)]
    return max(answer["seconds"] for answer in answers)


if __name__ == "__main__":
    main()
