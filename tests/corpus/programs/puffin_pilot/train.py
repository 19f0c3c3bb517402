# TD3 for a small glider, in one file as far as it goes
import copy
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from buffer import ReplayBuffer
from gusts import Gusts


@dataclass
class Args:
    seed: int = 1
    """seed of the experiment"""
    total_timesteps: int = 30
    learning_rate: float = 3e-3
    num_envs: int = 4
    buffer_size: int = 400
    gamma: float = 0.98
    tau: float = 0.05
    batch_size: int = 32
    start_noise: float = 0.6
    end_noise: float = 0.1
    policy_noise: float = 0.2
    noise_clip: float = 0.5
    learning_starts: int = 10
    policy_frequency: int = 2
    backend: str = "aot_eager"


class QNetwork(nn.Module):
    def __init__(self, env):
        super().__init__()
        self.fc1 = nn.Linear(env.observation_size + env.action_size, 32)
        self.fc2 = nn.Linear(32, 1)

    def forward(self, x, a):
        return self.fc2(F.relu(self.fc1(torch.cat([x, a], 1)))).squeeze(-1)


class Actor(nn.Module):
    def __init__(self, env):
        super().__init__()
        self.fc1 = nn.Linear(env.observation_size, 32)
        self.fc_mu = nn.Linear(32, env.action_size)

    def forward(self, x):
        return torch.tanh(self.fc_mu(F.relu(self.fc1(x))))


args = Args()
np.random.seed(args.seed)
torch.manual_seed(args.seed)
envs, eval_env = Gusts(args.num_envs, args.seed), Gusts(1, args.seed + 1)
actor, qf1, qf2 = Actor(envs), QNetwork(envs), QNetwork(envs)
target_actor, qf1_target, qf2_target = map(copy.deepcopy, (actor, qf1, qf2))
q_optimizer = optim.Adam([*qf1.parameters(), *qf2.parameters()], lr=args.learning_rate)
actor_optimizer = optim.Adam(actor.parameters(), lr=args.learning_rate)
rb = ReplayBuffer(args.buffer_size, args.seed)
global_step = 0


def explore(obs):
    fraction = min(1.0, global_step / args.total_timesteps)
    noise = args.start_noise + fraction * (args.end_noise - args.start_noise)
    action = actor(obs)
    return (action + noise * torch.randn_like(action)).clamp(-1, 1)


def q_loss(data):
    with torch.no_grad():
        noise = torch.randn_like(data.actions) * args.policy_noise
        noise = noise.clamp(-args.noise_clip, args.noise_clip)
        next_actions = (target_actor(data.next_observations) + noise).clamp(-1, 1)
        next_q = torch.minimum(
            qf1_target(data.next_observations, next_actions),
            qf2_target(data.next_observations, next_actions),
        )
        target = data.rewards + (1 - data.dones) * args.gamma * next_q
    return F.mse_loss(qf1(data.observations, data.actions), target) + F.mse_loss(
        qf2(data.observations, data.actions), target
    )


def actor_loss(observations):
    return -qf1(observations, actor(observations)).mean()


explore = torch.compile(explore, backend=args.backend)
q_loss = torch.compile(q_loss, backend=args.backend)
actor_loss = torch.compile(actor_loss, backend=args.backend)
policy = torch.compile(actor, backend=args.backend)


def soft_update():
    with torch.no_grad():
        for net, target in ((actor, target_actor), (qf1, qf1_target), (qf2, qf2_target)):
            torch._foreach_lerp_(list(target.parameters()), list(net.parameters()), args.tau)


def rollout(env, steps):
    obs, returns = env.reset(), 0.0
    for _ in range(steps):
        with torch.no_grad():
            actions = policy(torch.from_numpy(obs)).numpy()
        obs, rewards, _ = env.step(actions)
        returns += float(rewards.mean())
    return returns


start_time = time.time()
print(f"before: {rollout(envs, 6):.2f} in training winds")
obs = envs.reset()
for global_step in range(args.total_timesteps):
    with torch.no_grad():
        actions = explore(torch.from_numpy(obs)).numpy()
    next_obs, rewards, done = envs.step(actions)
    rb.add(obs, next_obs, actions, rewards, done)
    obs = next_obs
    if global_step < args.learning_starts:
        continue
    data = rb.sample(args.batch_size)
    qf_loss = q_loss(data)
    q_optimizer.zero_grad()
    qf_loss.backward()
    q_optimizer.step()
    if global_step % args.policy_frequency == 0:
        policy_loss = actor_loss(data.observations)
        actor_optimizer.zero_grad()
        policy_loss.backward()
        actor_optimizer.step()
        soft_update()
    if global_step % 10 == 0:
        sps = int(global_step / (time.time() - start_time))
        print(
            f"step {global_step}: qf {qf_loss.item():.3f} eval {rollout(eval_env, 6):.2f} SPS {sps}"
        )
