# PPO with continuous actions, one file for the algorithm
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from buffers import RolloutBuffer, minibatches
from skiff import SkiffVec
from torch.distributions.normal import Normal


@dataclass
class Args:
    seed: int = 1
    total_timesteps: int = 576
    learning_rate: float = 3e-4
    num_envs: int = 8
    num_steps: int = 12
    anneal_lr: bool = True
    gamma: float = 0.99
    gae_lambda: float = 0.95
    minibatch_size: int = 40
    update_epochs: int = 2
    clip_coef: float = 0.2
    anneal_clip: bool = True
    clip_vloss: bool = True
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float = 0.5


def layer_init(layer, std=2**0.5):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    def __init__(self, envs, width=32):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(envs.obs_dim, width)), nn.Tanh(), layer_init(nn.Linear(width, 1))
        )
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(envs.obs_dim, width)),
            nn.Tanh(),
            layer_init(nn.Linear(width, envs.act_dim), std=0.01),
        )
        self.actor_logstd = nn.Parameter(torch.zeros(1, envs.act_dim))

    def get_value(self, x):
        return self.critic(x).squeeze(-1)

    def get_action_and_value(self, x, action=None):
        mean = self.actor_mean(x)
        probs = Normal(mean, self.actor_logstd.expand_as(mean).exp(), validate_args=False)
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.get_value(x)


def main():
    args = Args()
    torch.manual_seed(args.seed)
    envs = SkiffVec(args.num_envs, seed=args.seed)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    buffer = RolloutBuffer(args.num_steps, args.num_envs, envs.obs_dim, envs.act_dim)
    batch_size = args.num_envs * args.num_steps
    num_iterations = args.total_timesteps // batch_size
    next_obs, next_done = envs.reset(), torch.zeros(args.num_envs)

    for iteration in range(1, num_iterations + 1):
        frac = 1.0 - (iteration - 1.0) / num_iterations
        if args.anneal_lr:
            optimizer.param_groups[0]["lr"] = frac * args.learning_rate
        clip_coef = args.clip_coef * frac if args.anneal_clip else args.clip_coef

        for step in range(args.num_steps):
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
            buffer.put(step, obs=next_obs, dones=next_done, values=value)
            next_obs, reward, next_done = envs.step(action)
            buffer.put(step, actions=action, logprobs=logprob, rewards=reward)

        with torch.no_grad():
            advantages, returns = buffer.advantages(
                agent.get_value(next_obs), next_done, args.gamma, args.gae_lambda
            )
        b_obs, b_actions, b_logprobs, b_values, b_adv, b_ret = buffer.flat(advantages, returns)

        clipfracs = []
        for _epoch in range(args.update_epochs):
            for inds in minibatches(batch_size, args.minibatch_size):
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(
                    b_obs[inds], b_actions[inds]
                )
                logratio = newlogprob - b_logprobs[inds]
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean()
                    clipfracs.append(((ratio - 1.0).abs() > clip_coef).float().mean().item())

                adv = b_adv[inds]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                pg_loss1 = -adv * ratio
                pg_loss2 = -adv * torch.clamp(ratio, 1 - clip_coef, 1 + clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()
                if args.clip_vloss:
                    off = torch.clamp(newvalue - b_values[inds], -10.0, 10.0)
                    v_unclipped = (newvalue - b_ret[inds]) ** 2
                    v_clipped = (b_values[inds] + off - b_ret[inds]) ** 2
                    v_loss = 0.5 * torch.max(v_unclipped, v_clipped).mean()
                else:
                    v_loss = 0.5 * ((newvalue - b_ret[inds]) ** 2).mean()
                loss = pg_loss - args.ent_coef * frac * entropy.mean() + v_loss * args.vf_coef

                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
            if approx_kl > args.target_kl:
                break
        print(f"{iteration}: reward {buffer.rewards.mean():.3f} clipfrac {np.mean(clipfracs):.3f}")


if __name__ == "__main__":
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        main()
