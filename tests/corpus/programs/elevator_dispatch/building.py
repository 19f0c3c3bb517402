"""A building with a lift, as far as its dispatcher can see it."""

import torch


class Building:
    def __init__(self, floors, seed=0):
        self.floors = floors
        self.generator = torch.Generator().manual_seed(seed)
        self.waiting = torch.zeros(floors)
        self.at = 0

    def observe(self):
        here = torch.zeros(self.floors)
        here[self.at] = 1.0
        return torch.cat([self.waiting, here])

    def send(self, floor):
        """Go there; the cost is what all others waited."""
        distance = abs(floor - self.at)
        arrived = torch.rand(self.floors, generator=self.generator) * 0.4
        self.waiting = self.waiting + arrived * max(distance, 1)
        self.at = floor
        self.waiting[floor] = 0.0
        return -self.waiting.sum().item()


def trip(building, policy, length):
    """One trip of `length` decisions under the policy."""
    seen, chosen, rewards = [], [], []
    for _ in range(length):
        state = building.observe()
        with torch.no_grad():
            floor = torch.distributions.Categorical(logits=policy(state)).sample()
        rewards.append(building.send(int(floor)))
        seen.append(state)
        chosen.append(floor)
    return torch.stack(seen), torch.stack(chosen), torch.tensor(rewards)
