"""Trains a value on games of self-play, with a bound on the policy's logits."""

import torch
from agent import PolicyValue, sharpness
from board import MOVES, SQUARES, self_play
from torch.nn import functional


class Learner:
    def __init__(self, decay=1e-3):
        self.agent = PolicyValue(SQUARES, MOVES)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=3e-3)
        self.decay = decay
        self.games = 0

    @torch.compile(backend="aot_eager")
    def objective(self, planes, legal, target):
        logits, value = self.agent(planes)
        error = functional.mse_loss(value, target)
        return error + self.decay * sharpness(logits, legal)

    def learn(self, batch):
        self.optimizer.zero_grad()
        loss = self.objective(batch.planes, batch.legal, batch.target)
        loss.backward()
        self.optimizer.step()
        self.games += 1


def main():
    torch.manual_seed(0)
    learner = Learner()
    for batch in self_play(9):
        learner.learn(batch)


if __name__ == "__main__":
    main()
