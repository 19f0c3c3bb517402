"""PPO for the lander, after CleanRL's ppo.py."""

from dataclasses import dataclass

import torch
import torch.nn as nn
from agent import Agent
from env import LanderVec
from torch._dynamo import compiled_autograd


@dataclass
class Args:
    num_iterations: int = 3
    num_envs: int = 4
    num_steps: int = 32
    num_minibatches: int = 4
    update_epochs: int = 3
    learning_rate: float = 2.5e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_coef: float = 0.2
    ent_coef: float = 0.02
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float = 0.03


@torch.no_grad()
def collect(agent, env, args):
    rows = []
    obs = env.obs.clone()
    for _ in range(args.num_steps):
        action, logprob, _, value = agent.get_action_and_value(obs)
        following, reward, done = env.step(action)
        rows.append((obs, action, logprob, reward, done, value))
        obs = following
    stacked = [torch.stack(column) for column in zip(*rows, strict=True)]
    return stacked, agent.get_value(obs)


def gae(rewards, dones, values, last_value, args):
    advantages = torch.zeros_like(rewards)
    running = torch.zeros_like(last_value)
    for t in reversed(range(args.num_steps)):
        following = last_value if t == args.num_steps - 1 else values[t + 1]
        delta = rewards[t] + args.gamma * following * (1 - dones[t]) - values[t]
        running = delta + args.gamma * args.gae_lambda * (1 - dones[t]) * running
        advantages[t] = running
    return advantages


def main():
    args = Args()
    torch.manual_seed(1)
    agent, env = Agent(), LanderVec(args.num_envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    batch = args.num_envs * args.num_steps
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for iteration in range(args.num_iterations):
            left = 1.0 - iteration / args.num_iterations
            optimizer.param_groups[0]["lr"] = left * args.learning_rate
            ent_coef = left * args.ent_coef
            (obs, actions, logprobs, rewards, dones, values), last = collect(agent, env, args)
            advantages = gae(rewards, dones, values, last, args)
            returns = advantages + values
            data = [t.flatten(0, 1) for t in (obs, actions, logprobs, advantages, returns)]
            for _ in range(args.update_epochs):
                for index in torch.randperm(batch).split(batch // args.num_minibatches):
                    b_obs, b_actions, b_logprobs, b_adv, b_returns = (t[index] for t in data)
                    _, newlogprob, entropy, value = agent.get_action_and_value(b_obs, b_actions)
                    logratio = newlogprob - b_logprobs
                    ratio = logratio.exp()
                    with torch.no_grad():
                        approx_kl = ((ratio - 1) - logratio).mean()
                    b_adv = (b_adv - b_adv.mean()) / (b_adv.std() + 1e-8)
                    clipped = torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                    pg_loss = torch.max(-b_adv * ratio, -b_adv * clipped).mean()
                    v_loss = 0.5 * ((value - b_returns) ** 2).mean()
                    loss = pg_loss - ent_coef * entropy.mean() + args.vf_coef * v_loss
                    optimizer.zero_grad()
                    loss.backward()
                    nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                    optimizer.step()
                if approx_kl > args.target_kl:
                    break
            print(f"iteration {iteration}: return {returns.mean().item():.3f} kl {approx_kl:.4f}")


if __name__ == "__main__":
    main()
