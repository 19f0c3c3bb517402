"""Hallucinates a loop that a panel of predictors likes: soft first, hard at the end."""

from dataclasses import dataclass

import torch
from oracle import agreed, naturalness, panel
from sequence import ALPHABET, SoftSequence
from torch._dynamo import compiled_autograd


@dataclass(frozen=True)
class Stage:
    name: str
    steps: int
    hot: float
    cold: float
    hard: bool = False

    def temperatures(self):
        for step in range(self.steps):
            yield self.hot + (self.cold - self.hot) * step / max(self.steps - 1, 1)


STAGES = (
    Stage("explore", steps=5, hot=2.0, cold=1.0),
    Stage("narrow", steps=5, hot=1.0, cold=0.2),
    Stage("commit", steps=4, hot=0.2, cold=0.1, hard=True),
)


def main(length=8):
    torch.manual_seed(7)
    sequence, critics = SoftSequence(length, start="GYTFTSYW"), panel(3, length)
    profile = torch.softmax(torch.randn(length, len(ALPHABET)), -1)
    optimizer = torch.optim.SGD(sequence.parameters(), lr=0.3)
    found = {}
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for stage in STAGES:
            for temperature in stage.temperatures():
                letters = sequence(temperature, stage.hard)
                loss = -agreed([critic(letters) for critic in critics])
                loss = loss + 0.1 * temperature * naturalness(letters, profile)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            found[stage.name] = str(sequence)


if __name__ == "__main__":
    main()
