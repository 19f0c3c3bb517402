# REINFORCE with a baseline on a toy seesaw, in one file.
import torch
import torch._dynamo.compiled_autograd
import torch.nn as nn
from torch.distributions import Categorical

SEED = 7
NUM_ENVS = 6
HORIZON = 12
UPDATES = 14
EVAL_EVERY = 5
GAMMA = 0.97

torch.manual_seed(SEED)


class Seesaw:
    """A bar that tips; pushes to the left, to the right, or none. Never ends early."""

    def __init__(self, n):
        self.n = n

    def reset(self):
        self.angle = 0.2 * torch.randn(self.n)
        self.speed = torch.zeros(self.n)
        return self.observe()

    def observe(self):
        return torch.stack([self.angle.sin(), self.angle.cos(), self.speed], dim=-1)

    def step(self, action):
        push = action.float() - 1.0
        self.speed = self.speed + 0.3 * self.angle.sin() + 0.25 * push
        self.angle = (self.angle + 0.1 * self.speed).clamp(-1.0, 1.0)
        return self.observe(), 1.0 - self.angle.abs()


class Agent(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(3, hidden), nn.Dropout(0.1), nn.LayerNorm(hidden), nn.Tanh()
        )
        self.pi = nn.Linear(hidden, 3)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


@torch.no_grad()
def evaluate(agent, episodes=4):
    agent.eval()
    env, total = Seesaw(episodes), torch.zeros(episodes)
    obs = env.reset()
    for _ in range(HORIZON):
        obs, reward = env.step(agent(obs)[0].probs.argmax(-1))
        total += reward
    return total.mean().item()


def rollout(env, agent):
    observations, actions, rewards = [], [], []
    obs = env.reset()
    for _ in range(HORIZON):
        with torch.no_grad():
            action = agent(obs)[0].sample()
        observations.append(obs)
        actions.append(action)
        obs, reward = env.step(action)
        rewards.append(reward)
    returns, running = [], torch.zeros(env.n)
    for reward in reversed(rewards):
        running = reward + GAMMA * running
        returns.insert(0, running)
    return torch.cat(observations), torch.cat(actions), torch.cat(returns)


env, agent = Seesaw(NUM_ENVS), Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
agent.train()
with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
    for update in range(1, UPDATES + 1):
        obs, actions, returns = rollout(env, agent)
        dist, value = agent(obs)
        advantage = returns - value.detach()
        ent_coef = 0.01 * (1 - update / UPDATES)
        loss = -(dist.log_prob(actions) * advantage).mean() - ent_coef * dist.entropy().mean()
        loss = loss + 0.5 * (value - returns).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % EVAL_EVERY == 0:
            print(f"update {update}: return {evaluate(agent):.2f}, loss {loss.item():.3f}")
