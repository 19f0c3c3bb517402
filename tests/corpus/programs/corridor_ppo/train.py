# docs and experiment results: see the README of the project
import random
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from agent import Agent
from corridor import CorridorVec
from losses import ppo_loss


@dataclass
class Args:
    exp_name: str = "ppo_corridor"
    seed: int = 1
    """seed of the experiment"""
    num_iterations: int = 4
    learning_rate: float = 2.5e-3
    num_envs: int = 8
    num_steps: int = 20
    anneal_lr: bool = True
    gamma: float = 0.99
    gae_lambda: float = 0.95
    minibatch_size: int = 48
    update_epochs: int = 2
    norm_adv: bool = True
    clip_coef: float = 0.2
    anneal_clip: bool = True
    """whether the surrogate clipping coefficient decays with the learning rate"""
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float | None = None


def gae(rewards, dones, values, next_done, next_value, args):
    advantages = torch.zeros_like(rewards)
    lastgaelam = 0
    for t in reversed(range(args.num_steps)):
        last = t == args.num_steps - 1
        nextnonterminal = 1.0 - (next_done if last else dones[t + 1])
        nextvalues = next_value if last else values[t + 1]
        delta = rewards[t] + args.gamma * nextvalues * nextnonterminal - values[t]
        lastgaelam = delta + args.gamma * args.gae_lambda * nextnonterminal * lastgaelam
        advantages[t] = lastgaelam
    return advantages, advantages + values


if __name__ == "__main__":
    args = Args()
    batch_size = args.num_envs * args.num_steps
    run_name = f"{args.exp_name}__{args.seed}"

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    envs = CorridorVec(args.num_envs, seed=args.seed)
    agent = Agent(envs)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    loss_fn = torch.compile(ppo_loss, backend="aot_eager")

    # ALGO Logic: Storage setup
    obs = torch.zeros((args.num_steps, args.num_envs, *envs.single_observation_shape))
    actions = torch.zeros((args.num_steps, args.num_envs), dtype=torch.long)
    logprobs = torch.zeros((args.num_steps, args.num_envs))
    rewards = torch.zeros((args.num_steps, args.num_envs))
    dones = torch.zeros((args.num_steps, args.num_envs))
    values = torch.zeros((args.num_steps, args.num_envs))

    global_step = 0
    start_time = time.time()
    next_obs = torch.tensor(envs.reset())
    next_done = torch.zeros(args.num_envs)

    for iteration in range(1, args.num_iterations + 1):
        frac = 1.0 - (iteration - 1.0) / args.num_iterations
        if args.anneal_lr:
            optimizer.param_groups[0]["lr"] = frac * args.learning_rate
        clip_now = frac * args.clip_coef if args.anneal_clip else args.clip_coef

        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs
            dones[step] = next_done
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
                values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob
            fresh, reward, done = envs.step(action.numpy())
            rewards[step] = torch.tensor(reward)
            next_obs, next_done = torch.tensor(fresh), torch.tensor(done)

        with torch.no_grad():
            next_value = agent.get_value(next_obs).view(-1)
            advantages, returns = gae(rewards, dones, values, next_done, next_value, args)

        # flatten the batch
        b_obs = obs.reshape(-1, *envs.single_observation_shape)
        b_logprobs, b_actions = logprobs.reshape(-1), actions.reshape(-1)
        b_advantages, b_returns, b_values = (x.reshape(-1) for x in (advantages, returns, values))

        # Optimizing the policy and value network
        b_inds = np.arange(batch_size)
        clipfracs = []
        for _epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, batch_size, args.minibatch_size):
                mb_inds = b_inds[start : start + args.minibatch_size]
                loss, pg_loss, v_loss, approx_kl, clipfrac = loss_fn(
                    agent,
                    b_obs[mb_inds],
                    b_actions[mb_inds],
                    b_logprobs[mb_inds],
                    b_advantages[mb_inds],
                    b_returns[mb_inds],
                    b_values[mb_inds],
                    clip_now,
                    args,
                )
                clipfracs.append(clipfrac.item())
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
            if args.target_kl is not None and approx_kl > args.target_kl:
                break

        print(
            f"{run_name} step={global_step} reward={rewards.mean():.3f} pg={pg_loss.item():.4f} "
            f"v={v_loss.item():.4f} clipfrac={np.mean(clipfracs):.3f}"
        )
