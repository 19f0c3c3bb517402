"""Records of tickets sold on a ferry line, from the office and from the machines on board."""

import random


def sales(seed: int, days: int):
    rng = random.Random(seed)
    for day in range(days):
        for source in ("office", "board"):
            record = {
                "month": [rng.randrange(12) for _ in range(16)],
                "wind": [rng.gauss(0, 1) for _ in range(16)],
            }
            base = [
                2 + 0.5 * month / 12 - 0.3 * wind
                for month, wind in zip(*record.values(), strict=True)
            ]
            record["sold"] = [value + 0.1 * rng.gauss(0, 1) for value in base]
            if source == "board":
                record["machine"] = day % 3
            yield record
