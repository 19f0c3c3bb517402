# TD3 with compiled losses
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
import torch.optim as optim
from buffers import IceFloe, ReplayBuffer
from networks import Actor, QNetwork


@dataclass
class Args:
    exp_name: str = "walrus_td3"
    seed: int = 1
    compile: bool = True
    """whether to use torch.compile."""
    total_timesteps: int = 64
    learning_rate: float = 3e-3
    buffer_size: int = 200
    gamma: float = 0.99
    tau: float = 0.05
    batch_size: int = 16
    policy_noise: float = 0.2
    """the scale of policy noise, halved by the end"""
    exploration_noise: float = 0.1
    learning_starts: int = 20
    policy_frequency: int = 2
    noise_clip: float = 0.5
    q_penalty: float = 0.1
    """how much the critics are held together before they teach the policy"""


args = Args()
random.seed(args.seed)
np.random.seed(args.seed)
torch.manual_seed(args.seed)

env = IceFloe(args.seed)
obs_dim, act_dim = 4, 2
actor, target_actor = Actor(obs_dim, act_dim), Actor(obs_dim, act_dim)
qf1, qf2 = QNetwork(obs_dim, act_dim), QNetwork(obs_dim, act_dim)
qf1_target, qf2_target = QNetwork(obs_dim, act_dim), QNetwork(obs_dim, act_dim)
target_actor.load_state_dict(actor.state_dict())
qf1_target.load_state_dict(qf1.state_dict())
qf2_target.load_state_dict(qf2.state_dict())
q_optimizer = optim.Adam([*qf1.parameters(), *qf2.parameters()], lr=args.learning_rate)
actor_optimizer = optim.Adam(actor.parameters(), lr=args.learning_rate)


def critic_loss_fn(data, noise_scale, policy_step):
    with torch.no_grad():
        noise = torch.randn_like(data.actions) * noise_scale
        noise = noise.clamp(-args.noise_clip, args.noise_clip)
        next_actions = (target_actor(data.next_observations) + noise).clamp(-1.0, 1.0)
        qf1_next = qf1_target(data.next_observations, next_actions)
        qf2_next = qf2_target(data.next_observations, next_actions)
        next_q = torch.min(qf1_next, qf2_next).view(-1)
        target = data.rewards + (1 - data.dones) * args.gamma * next_q
    qf1_a_values = qf1(data.observations, data.actions).view(-1)
    qf2_a_values = qf2(data.observations, data.actions).view(-1)
    qf_loss = F.mse_loss(qf1_a_values, target) + F.mse_loss(qf2_a_values, target)
    if policy_step:
        qf_loss = qf_loss + args.q_penalty * (qf1_a_values - qf2_a_values).square().mean()
    return qf_loss, qf1_a_values.detach().mean()


def actor_loss_fn(data):
    return -qf1(data.observations, actor(data.observations)).mean()


def soft_update(target, source):
    for param, target_param in zip(source.parameters(), target.parameters(), strict=True):
        target_param.data.copy_(args.tau * param.data + (1 - args.tau) * target_param.data)


if args.compile:
    critic_loss_fn = torch.compile(critic_loss_fn, backend="aot_eager")
    actor_loss_fn = torch.compile(actor_loss_fn, backend="aot_eager")

rb = ReplayBuffer(args.buffer_size, obs_dim, act_dim)
obs, episodic, returns = env.reset(), 0.0, []
for global_step in range(args.total_timesteps):
    if global_step < args.learning_starts:
        action = 2 * torch.rand(act_dim) - 1
    else:
        with torch.no_grad():
            action = actor(obs[None])[0]
            action = (action + args.exploration_noise * torch.randn(act_dim)).clamp(-1, 1)
    next_obs, reward, done = env.step(action)
    rb.add(obs, next_obs, action, reward, float(done))
    obs, episodic = next_obs, episodic + reward
    if done:
        returns.append(episodic)
        obs, episodic = env.reset(), 0.0

    if global_step >= args.learning_starts:
        data = rb.sample(args.batch_size)
        frac = 1.0 - 0.5 * global_step / args.total_timesteps
        policy_step = global_step % args.policy_frequency == 0
        qf_loss, qf_value = critic_loss_fn(data, frac * args.policy_noise, policy_step)
        q_optimizer.zero_grad()
        qf_loss.backward()
        q_optimizer.step()

        if policy_step:
            actor_loss = actor_loss_fn(data)
            actor_optimizer.zero_grad()
            actor_loss.backward()
            actor_optimizer.step()
            soft_update(target_actor, actor)
            soft_update(qf1_target, qf1)
            soft_update(qf2_target, qf2)
        if global_step % 16 == 0:
            print(f"global_step={global_step} qf_loss={qf_loss.item():.4f} q={qf_value.item():.3f}")
print(f"{args.exp_name}: returns {np.mean(returns[-3:]):.3f}, q loss {qf_loss.item():.4f}")
