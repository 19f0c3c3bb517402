import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from agent import Agent
from envs import VectorKettle
from ppo import Objective, gae


@dataclass
class Args:
    seed: int = 1
    num_envs: int = 4
    num_steps: int = 16
    num_iterations: int = 4
    num_minibatches: int = 4
    update_epochs: int = 2
    learning_rate: float = 1e-3
    anneal_lr: bool = True
    anneal_clip: bool = True
    gamma: float = 0.95
    gae_lambda: float = 0.9
    norm_adv: bool = True
    clip_coef: float = 0.2
    clip_vloss: bool = True
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float = 0.05
    backend: str = "aot_eager"


def main(args):
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    envs = VectorKettle(args.num_envs, args.seed)
    agent = Agent(envs.obs_dim, envs.act_dim)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    objective = Objective(agent, args)
    minibatch_loss = torch.compile(objective.__call__, backend=args.backend)
    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(*shape, envs.obs_dim)
    actions = torch.zeros(*shape, envs.act_dim)
    logprobs, rewards, dones, values = (torch.zeros(shape) for _ in range(4))
    batch_size = args.num_steps * args.num_envs
    minibatch_size = batch_size // args.num_minibatches

    next_obs = envs.reset()
    for iteration in range(1, args.num_iterations + 1):
        frac = 1.0 - (iteration - 1.0) / args.num_iterations
        if args.anneal_lr:
            optimizer.param_groups[0]["lr"] = frac * args.learning_rate
        if args.anneal_clip:
            objective.anneal(frac)
        for step in range(args.num_steps):
            obs[step] = next_obs
            with torch.no_grad():
                noise = torch.randn(args.num_envs, envs.act_dim)
                action, logprob, _, value = agent.get_action_and_value(next_obs, noise)
            actions[step], logprobs[step], values[step] = action, logprob, value
            next_obs, rewards[step], dones[step] = envs.step(action)
        with torch.no_grad():
            next_value = agent.get_value(next_obs)
        advantages, returns = gae(rewards, values, dones, next_value, args.gamma, args.gae_lambda)
        batch = [
            part.flatten(0, 1) for part in (obs, actions, logprobs, advantages, returns, values)
        ]
        kls = []
        for _ in range(args.update_epochs):
            order = torch.randperm(batch_size)
            for start in range(0, batch_size, minibatch_size):
                rows = order[start : start + minibatch_size]
                loss, stats = minibatch_loss(*(part[rows] for part in batch))
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
                kls.append(stats["approx_kl"])
            if kls[-1] > args.target_kl:
                break
        print(f"{iteration}: reward {rewards.mean():.3f} kl {np.mean(kls):.5f}")


if __name__ == "__main__":
    main(Args())
