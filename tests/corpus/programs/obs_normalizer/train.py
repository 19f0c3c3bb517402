"""Soft actor-critic on a pendulum-like toy, with normalized observations."""

from dataclasses import dataclass

import torch
from buffer import ReplayBuffer
from sac import Actor, SoftQ
from torch.nn import functional as F


@dataclass
class Args:
    seed: int = 1
    num_envs: int = 4
    total_steps: int = 12
    learning_starts: int = 3
    batch_size: int = 16
    gamma: float = 0.98
    tau: float = 0.05
    alpha: float = 0.1
    policy_lr: float = 1e-3
    q_lr: float = 1e-3


def dynamics(state, action):
    following = 0.9 * state + 0.2 * action.repeat(1, state.shape[1] // action.shape[1])
    return following + 0.01 * torch.randn_like(state), -following.square().sum(1)


def main():
    args = Args()
    torch.manual_seed(args.seed)
    observation, action = 4, 2
    actor, q1, q2 = (
        Actor(observation, action),
        SoftQ(observation, action),
        SoftQ(observation, action),
    )
    policy = torch.compile(actor, backend="aot_eager")
    q_optimizer = torch.optim.Adam([*q1.parameters(), *q2.parameters()], lr=args.q_lr)
    actor_optimizer = torch.optim.Adam(actor.parameters(), lr=args.policy_lr)
    ring = ReplayBuffer(64, obs=(observation,), next=(observation,), action=(action,), reward=())
    obs = torch.randn(args.num_envs, observation)
    for global_step in range(args.total_steps):
        drawn = 2 * torch.rand(args.num_envs, action) - 1
        following, reward = dynamics(obs, drawn)
        ring.add(obs=obs, next=following, action=drawn, reward=reward)
        obs = following
        if global_step < args.learning_starts:
            continue
        data = ring.sample(args.batch_size)
        with torch.no_grad():
            q_next = torch.min(q1(data["next"], data["action"]), q2(data["next"], data["action"]))
            target = data["reward"] + args.gamma * q_next
        q_loss = sum(F.mse_loss(q(data["obs"], data["action"]), target) for q in (q1, q2))
        q_optimizer.zero_grad()
        q_loss.backward()
        q_optimizer.step()
        pi, log_pi = policy(data["obs"])
        actor_loss = (
            args.alpha * log_pi - torch.min(q1(data["obs"], pi), q2(data["obs"], pi))
        ).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()
    print(f"q {q_loss.item():.3f}, actor {actor_loss.item():.3f}")


if __name__ == "__main__":
    main()
