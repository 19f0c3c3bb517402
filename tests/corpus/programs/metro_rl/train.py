"""Proximal policy optimisation of the dispatcher of a metro ring."""

import numpy as np
import torch
from agent import ActorCritic, Hyper, Objective
from env import Ring, rollout


def discounted(rewards, overs, gamma):
    total, found = 0.0, []
    for reward, over in zip(rewards[::-1], overs[::-1], strict=False):
        total = reward + gamma * total * (not over)
        found.append(total)
    return np.array(found[::-1], dtype=np.float32)


class Trainer:
    def __init__(self, hyper):
        self.hyper, self.env = hyper, Ring()
        self.net = ActorCritic(observed=9, choices=3)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=3e-3)
        self.objective = torch.compile(Objective(self.net, hyper), backend="eager")

    @torch.no_grad()
    def act(self, seen):
        logs, _ = self.net(torch.as_tensor(seen, dtype=torch.float32)[None])
        return torch.multinomial(logs.exp(), 1).item()

    def collect(self, steps):
        seen, held, rewards, overs = zip(*rollout(self.env, self.act, steps), strict=False)
        seen = torch.as_tensor(np.stack(seen), dtype=torch.float32)
        held = torch.tensor(held)
        gains = torch.from_numpy(discounted(rewards, overs, self.hyper.gamma))
        with torch.no_grad():
            before = self.net(seen)[0].gather(1, held[:, None]).squeeze(1)
        return (seen, held, before, gains), sum(rewards)

    def minibatches(self, batch):
        for _ in range(self.hyper.epochs):
            yield from zip(*(part.split(self.hyper.minibatch) for part in batch), strict=False)

    def iterate(self, steps=56):
        batch, earned = self.collect(steps)
        for part in self.minibatches(batch):
            loss = self.objective(*part)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        self.hyper.entropy *= self.hyper.cooling
        return earned


def main():
    torch.manual_seed(0)
    trainer = Trainer(Hyper())
    print([round(trainer.iterate(), 1) for _ in range(5)])


if __name__ == "__main__":
    main()
