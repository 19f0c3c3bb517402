# Proximal policy optimisation for steering a bobsled, on one page.
import math

import torch
import torch.nn as nn
from torch.distributions import Normal

torch._dynamo.config.compiled_autograd = True

num_envs, num_steps, minibatch_size = 4, 20, 32
batch_size = num_envs * num_steps
iterations, update_epochs = 3, 2
gamma, gae_lambda, clip_coef, vf_coef, target_kl = 0.98, 0.9, 0.2, 0.5, 0.3
generator = torch.Generator().manual_seed(21)
torch.manual_seed(21)


class Sleds:
    """Angle and drift of each sled; curves come and go as the run goes on."""

    def reset(self):
        self.state, self.t = torch.zeros(num_envs, 3), 0
        return self.state

    def step(self, steer):
        angle, drift, _ = self.state.unbind(1)
        curve = math.sin(0.7 * self.t)
        drift = 0.8 * drift + 0.3 * curve - 0.4 * steer.clamp(-1, 1)
        drift = drift + 0.05 * torch.randn(num_envs, generator=generator)
        self.t += 1
        self.state = torch.stack([angle + drift, drift, torch.full((num_envs,), curve)], 1)
        return self.state, -self.state[:, 0].abs().clamp(max=3.0)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
        self.actor = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
        self.logstd = nn.Parameter(torch.full((1,), -0.5))

    def forward(self, obs, action=None):
        dist = Normal(self.actor(obs).squeeze(-1), self.logstd.exp())
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action), dist.entropy(), self.critic(obs).squeeze(-1)


@torch.compile(backend="aot_eager")
def update(obs, actions, logprobs, advantages, returns, ent_coef):
    _, newlogprob, entropy, value = agent(obs, actions)
    logratio = newlogprob - logprobs
    ratio = logratio.exp()
    adv = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    pg_loss = torch.max(-adv * ratio, -adv * ratio.clamp(1 - clip_coef, 1 + clip_coef)).mean()
    loss = pg_loss - ent_coef * entropy.mean() + vf_coef * (value - returns).square().mean()
    loss.backward()
    return loss.detach(), ((ratio - 1) - logratio).mean().detach()


agent, sleds = Agent(), Sleds()
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-3, eps=1e-5)
for iteration in range(1, iterations + 1):
    frac = 1.0 - (iteration - 1) / iterations
    optimizer.param_groups[0]["lr"] = frac * 2.5e-3
    ent_coef = torch.tensor(0.01 * frac)
    obs, rows = sleds.reset(), []
    with torch.no_grad():
        for _ in range(num_steps):
            action, logprob, _, value = agent(obs)
            next_obs, reward = sleds.step(action)
            rows.append((obs, action, logprob, value, reward))
            obs = next_obs
        next_value, lastgaelam = agent(obs)[3], 0
    b_obs, b_actions, b_logprobs, values, rewards = (
        torch.stack(x) for x in zip(*rows, strict=True)
    )
    advantages = torch.zeros_like(rewards)
    for t in reversed(range(num_steps)):
        delta = rewards[t] + gamma * next_value - values[t]
        advantages[t] = lastgaelam = delta + gamma * gae_lambda * lastgaelam
        next_value = values[t]
    returns = advantages + values
    flat = [x.flatten() for x in (b_actions, b_logprobs, advantages, returns)]
    flat.insert(0, b_obs.flatten(0, 1))
    for _ in range(update_epochs):
        b_inds = torch.randperm(batch_size, generator=generator)
        for start in range(0, batch_size, minibatch_size):
            mb_inds = b_inds[start : start + minibatch_size]
            optimizer.zero_grad()
            loss, approx_kl = update(*(x[mb_inds] for x in flat), ent_coef)
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
        if approx_kl > target_kl:
            break
    print(f"{iteration}: loss {loss:.3f} kl {approx_kl:.4f} reward {rewards.mean():.3f}")
