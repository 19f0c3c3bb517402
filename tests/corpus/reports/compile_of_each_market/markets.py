from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Market:
    name: str
    shops: int
    lags: int
    seed: int


MARKETS = [
    Market("porto", 5, 4, 1), Market("gent", 7, 6, 2), Market("brno", 3, 5, 3),
    Market("turku", 9, 4, 4), Market("split", 4, 7, 5), Market("lyon", 8, 3, 6),
    Market("cork", 6, 8, 7), Market("graz", 11, 6, 8), Market("vigo", 10, 9, 9),
    Market("pisa", 12, 5, 10), Market("riga", 13, 7, 11),
]


def history(market, day):
    generator = torch.Generator().manual_seed(100 * market.seed + day)
    return torch.rand(market.shops, 24, generator=generator)
