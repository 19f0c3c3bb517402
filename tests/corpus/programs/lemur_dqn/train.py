from dataclasses import dataclass

import numpy as np
import torch
from agent import Agent
from buffer import ReplayBuffer
from evaluation import evaluate
from forest import Forest


@dataclass
class Args:
    seed: int = 1
    total_timesteps: int = 400
    learning_starts: int = 80
    train_frequency: int = 4
    batch_size: int = 32
    buffer_size: int = 300
    learning_rate: float = 2e-3
    encoder_lr: float = 1e-3
    gamma: float = 0.95
    tau: float = 0.05
    start_e: float = 1.0
    end_e: float = 0.1
    exploration_fraction: float = 0.6
    start_beta: float = 0.4
    max_grad_norm: float = 10.0
    reset_every: int = 160
    freeze_after_reset: int = 10
    eval_every: int = 200
    eval_episodes: int = 4


def linear_schedule(start, end, duration, t):
    return max((end - start) / duration * t + start, min(start, end))


def main(args):
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    env = Forest(args.seed)
    agent = Agent(env.obs_shape, env.n_actions, args)
    rb = ReplayBuffer(args.buffer_size, env.obs_shape, args.seed)

    obs, episodic = env.reset(), [0.0]
    for step in range(1, args.total_timesteps + 1):
        epsilon = linear_schedule(
            args.start_e, args.end_e, args.exploration_fraction * args.total_timesteps, step
        )
        action = int(rng.integers(env.n_actions)) if rng.random() < epsilon else agent.act(obs)
        next_obs, reward, terminated, truncated = env.step(action)
        rb.add(obs, action, reward, next_obs, terminated)
        episodic[-1] += reward
        obs = next_obs
        if terminated or truncated:
            obs = env.reset()
            episodic.append(0.0)

        if step <= args.learning_starts:
            continue
        if step % args.reset_every == 0:
            agent.reset_heads()
        if step % args.train_frequency == 0:
            beta = args.start_beta + (1 - args.start_beta) * step / args.total_timesteps
            loss = agent.learn(rb.sample(args.batch_size, beta))
        if step % args.eval_every == 0:
            score = evaluate(agent, args.eval_episodes, args.seed + 100)
            recent = np.mean(episodic[-10:])
            print(f"{step}: loss {loss:.4f} return {recent:.2f} greedy {score:.2f}")


if __name__ == "__main__":
    main(Args())
