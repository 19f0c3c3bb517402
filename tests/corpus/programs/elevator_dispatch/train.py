"""Teaches a dispatcher by differential actor-critic."""

import torch
from building import Building, trip
from critic import AverageReward, Critic
from torch import nn
from torch._dynamo import compiled_autograd


class Agent:
    def __init__(self, floors=5, lr=5e-3):
        self.policy = nn.Sequential(nn.Linear(2 * floors, 16), nn.Tanh(), nn.Linear(16, floors))
        self.critic = Critic(2 * floors)
        self.usual = AverageReward()
        everything = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(everything, lr=lr)

    def learn(self, states, floors, rewards):
        values = self.critic(states)
        errors = rewards[:-1] - self.usual.value + values[1:].detach() - values[:-1]
        self.usual.track(errors)
        scores = self.policy(states[:-1]).log_softmax(-1)
        taken = scores.gather(1, floors[:-1, None]).squeeze(1)
        loss = errors.square().mean() - (errors.detach() * taken).mean()
        self.optimizer.zero_grad()
        loss.backward(retain_graph=True)
        self.optimizer.step()
        return loss.item()


def main():
    torch.manual_seed(0)
    building, agent = Building(5), Agent()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(7):
            agent.learn(*trip(building, agent.policy, 9))


if __name__ == "__main__":
    main()
