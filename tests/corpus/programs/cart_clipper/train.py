"""PPO in one file: rolls out, computes advantages, and goes over minibatches."""

import argparse

import torch
from agent import Agent, advantages_of
from envs import VectorCarts
from torch import nn


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--num-envs", type=int, default=4)
    parser.add_argument("--num-steps", type=int, default=14)
    parser.add_argument("--minibatch-size", type=int, default=16)
    parser.add_argument("--num-iterations", type=int, default=4)
    parser.add_argument("--update-epochs", type=int, default=2)
    parser.add_argument("--learning-rate", type=float, default=2.5e-3)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    args = parser.parse_args()
    args.batch_size = args.num_envs * args.num_steps
    return args


def rollout(args, envs, agent, next_obs):
    obs, actions, logprobs, rewards, dones, values = [], [], [], [], [], []
    with torch.no_grad():
        for _ in range(args.num_steps):
            action, logprob, _, value = agent.get_action_and_value(next_obs)
            obs.append(next_obs)
            next_obs, reward, done = envs.step(action)
            for kept, one in zip(
                (actions, logprobs, rewards, dones, values),
                (action, logprob, reward, done, value),
                strict=True,
            ):
                kept.append(one)
        bootstrap = agent.get_value(next_obs)
    rewards, dones, values = map(torch.stack, (rewards, dones, values))
    advantages = advantages_of(rewards, dones, values, bootstrap, 0.99, 0.95)
    batch = {
        "obs": torch.cat(obs),
        "actions": torch.cat(actions),
        "logprobs": torch.cat(logprobs),
        "advantages": advantages.flatten(),
        "returns": (advantages + values).flatten(),
    }
    return batch, next_obs


def ppo_loss(args, agent, mb, clip_coef):
    _, newlogprob, entropy, newvalue = agent.get_action_and_value(mb["obs"], mb["actions"])
    ratio = (newlogprob - mb["logprobs"]).exp()
    adv = mb["advantages"]
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    pg_loss1 = -adv * ratio
    pg_loss2 = -adv * torch.clamp(ratio, 1 - clip_coef, 1 + clip_coef)
    pg_loss = torch.max(pg_loss1, pg_loss2).mean()
    v_loss = 0.5 * (newvalue - mb["returns"]).square().mean()
    return pg_loss - args.ent_coef * entropy.mean() + args.vf_coef * v_loss


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    envs = VectorCarts(args.num_envs, args.seed)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    next_obs = envs.reset()
    for iteration in range(args.num_iterations):
        frac = 1.0 - iteration / args.num_iterations
        optimizer.param_groups[0]["lr"] = frac * args.learning_rate
        clip_coef = frac * args.clip_coef
        batch, next_obs = rollout(args, envs, agent, next_obs)
        for _ in range(args.update_epochs):
            b_inds = torch.randperm(args.batch_size)
            for start in range(0, args.batch_size, args.minibatch_size):
                mb_inds = b_inds[start : start + args.minibatch_size]
                mb = {name: column[mb_inds] for name, column in batch.items()}
                loss = ppo_loss(args, agent, mb, clip_coef)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
        print(f"iteration {iteration}: loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
