"""Replays a recorded morning against the service."""

import random
from collections.abc import Iterator

import torch
from schemas import EtaRequest
from service import EtaService


def replay(batches: int, size: int, rng: random.Random) -> Iterator[list[EtaRequest]]:
    for b in range(batches):
        outage = b in (3, 4, 7)
        yield [
            EtaRequest(
                request_id=f"{b}-{i}",
                route=[[rng.random() for _ in range(3)] for _ in range(5)],
                vehicle=rng.randrange(6),
                traffic=None if outage and i % 3 == 0 else [rng.random() for _ in range(4)],
                tags={"zone": rng.choice("abc")},
            )
            for i in range(size)
        ]


def main() -> None:
    torch.manual_seed(0)
    service = EtaService()
    answers: dict[str, float] = {}
    for requests in replay(10, service.batch_size, random.Random(5)):
        answers.update(service.answer(requests))
    print(f"{len(answers)} answers, mean {sum(answers.values()) / len(answers):.3f} min")
    print(service.metrics["requests"])


if __name__ == "__main__":
    main()
