"""QR-DQN on the puppet."""

import random
from dataclasses import dataclass

import numpy as np
import torch
from buffer import ReplayBuffer
from env import PuppetEnv
from networks import QuantileNetwork, quantile_huber
from torch._dynamo import compiled_autograd


@dataclass
class Args:
    seed: int = 1
    total_timesteps: int = 130
    learning_starts: int = 60
    train_frequency: int = 8
    target_frequency: int = 40
    batch_size: int = 16
    n_quantiles: int = 8
    gamma: float = 0.97
    start_e: float = 1.0
    end_e: float = 0.1
    kappa: float = 1.0
    kappa_min: float = 0.2
    learning_rate: float = 1e-3
    max_grad_norm: float = 10.0
    backend: str = "aot_eager"


def linear_schedule(start, end, duration, t):
    return max((end - start) / duration * t + start, end)


if __name__ == "__main__":
    args = Args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = PuppetEnv(args.seed)
    shape = (env.obs_dim, env.n_actions, args.n_quantiles)
    q_network, target_network = QuantileNetwork(*shape), QuantileNetwork(*shape)
    target_network.load_state_dict(q_network.state_dict())
    optimizer = torch.optim.Adam(q_network.parameters(), lr=args.learning_rate)
    rb = ReplayBuffer(500, env.obs_dim, args.seed)
    compiler = torch.compile(backend=args.backend)
    losses, returns, episodic_return = [], [], 0.0

    obs = env.reset()
    for global_step in range(args.total_timesteps):
        epsilon = linear_schedule(args.start_e, args.end_e, 120, global_step)
        if random.random() < epsilon:
            action = random.randrange(env.n_actions)
        else:
            with torch.no_grad():
                action = q_network(torch.from_numpy(obs)[None]).mean(2).argmax(1).item()
        next_obs, reward, terminated, truncated = env.step(action)
        rb.add(obs, action, reward, next_obs, terminated)
        obs, episodic_return = next_obs, episodic_return + reward
        if terminated or truncated:
            returns.append(episodic_return)
            obs, episodic_return = env.reset(), 0.0

        if global_step > args.learning_starts and global_step % args.train_frequency == 0:
            b_obs, b_actions, b_rewards, b_next_obs, b_dones = rb.sample(args.batch_size)
            rows = torch.arange(args.batch_size)
            with torch.no_grad():
                best = q_network(b_next_obs).mean(2).argmax(1)
                next_quantiles = target_network(b_next_obs)[rows, best]
                discount = args.gamma * (1 - b_dones)
                target = b_rewards[:, None] + discount[:, None] * next_quantiles
            quantiles = q_network(b_obs)[rows, b_actions]
            kappa = linear_schedule(args.kappa, args.kappa_min, args.total_timesteps, global_step)
            loss = quantile_huber(quantiles, target, q_network.taus, kappa)
            optimizer.zero_grad()
            with compiled_autograd._enable(compiler):
                loss.backward()
            torch.nn.utils.clip_grad_norm_(q_network.parameters(), args.max_grad_norm)
            optimizer.step()
            losses.append(loss.item())

        if global_step % args.target_frequency == 0:
            for param, target_param in zip(
                q_network.parameters(), target_network.parameters(), strict=True
            ):
                target_param.data.lerp_(param.data, 0.5)

    print(f"updates {len(losses)}, loss {losses[-1]:.4f}, return {np.mean(returns[-3:]):.2f}")
