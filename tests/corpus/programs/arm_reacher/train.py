# TD3 in one file, after the single-file implementations
import itertools
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from arm_env import VectorReacher
from writer import SummaryWriter


@dataclass
class Args:
    exp_name: str = "td3_reacher"
    seed: int = 1
    num_envs: int = 4
    total_timesteps: int = 60
    learning_starts: int = 12
    batch_size: int = 32
    gamma: float = 0.97
    tau: float = 0.02
    learning_rate: float = 1e-3
    exploration_noise: float = 0.2
    policy_noise_start: float = 0.3
    policy_noise_end: float = 0.1
    noise_clip: float = 0.5
    policy_frequency: int = 2
    compile_backend: str = "eager"


def mlp(sizes, last=nn.Identity):
    layers = []
    for i, (a, b) in enumerate(itertools.pairwise(sizes)):
        layers += [nn.Linear(a, b), nn.ReLU() if i < len(sizes) - 2 else last()]
    return nn.Sequential(*layers)


args = Args()
random.seed(args.seed)
np.random.seed(args.seed)
torch.manual_seed(args.seed)

envs = VectorReacher(args.num_envs, args.seed)
actor, target_actor = (mlp([envs.obs_dim, 32, envs.act_dim], nn.Tanh) for _ in range(2))
qf, qf_target = (mlp([envs.obs_dim + envs.act_dim, 32, 1]) for _ in range(2))
target_actor.load_state_dict(actor.state_dict())
qf_target.load_state_dict(qf.state_dict())
q_optimizer = optim.Adam(qf.parameters(), lr=args.learning_rate)
actor_optimizer = optim.Adam(actor.parameters(), lr=args.learning_rate)
writer = SummaryWriter(args.exp_name)
policy_noise = args.policy_noise_start
global_step = 0


def critic_loss(obs, actions, next_obs, rewards, dones):
    with torch.no_grad():
        noise = (torch.randn_like(actions) * policy_noise).clamp(-args.noise_clip, args.noise_clip)
        next_actions = (target_actor(next_obs) + noise).clamp(-1, 1)
        next_q = qf_target(torch.cat([next_obs, next_actions], 1)).view(-1)
        target = rewards + (1 - dones) * args.gamma * next_q
    values = qf(torch.cat([obs, actions], 1)).view(-1)
    loss = F.mse_loss(values, target)
    writer.add_scalar("losses/qf_values", values.mean().item(), global_step)
    return loss


def actor_loss(obs):
    return -qf(torch.cat([obs, actor(obs)], 1)).mean()


critic_loss = torch.compile(critic_loss, backend=args.compile_backend)
actor_loss = torch.compile(actor_loss, backend=args.compile_backend)

replay = []
obs = envs.reset()
for step in range(args.total_timesteps):
    with torch.no_grad():
        actions = actor(torch.from_numpy(obs)).numpy()
    actions = np.clip(actions + args.exploration_noise * np.random.randn(*actions.shape), -1, 1)
    actions = actions.astype(np.float32)
    next_obs, rewards, dones = envs.step(actions)
    replay += zip(obs, actions, next_obs, rewards, dones, strict=True)
    obs = next_obs
    if step < args.learning_starts:
        continue
    if step % 12 == 0:
        fraction = step / args.total_timesteps
        policy_noise = args.policy_noise_start + fraction * (
            args.policy_noise_end - args.policy_noise_start
        )
    batch = random.sample(replay, args.batch_size)
    data = [torch.from_numpy(np.stack(column)) for column in zip(*batch, strict=True)]
    loss = critic_loss(*data)
    q_optimizer.zero_grad()
    loss.backward()
    q_optimizer.step()
    if step % args.policy_frequency == 0:
        improvement = actor_loss(data[0])
        actor_optimizer.zero_grad()
        improvement.backward()
        actor_optimizer.step()
        with torch.no_grad():
            for net, slow in ((actor, target_actor), (qf, qf_target)):
                for param, held in zip(net.parameters(), slow.parameters(), strict=True):
                    held.lerp_(param, args.tau)
        writer.add_scalar("losses/actor_loss", improvement.item(), step)
    writer.add_scalar("charts/reward", rewards.mean(), step)
writer.close()
