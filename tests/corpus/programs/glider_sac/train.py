# SAC with a learned temperature, single file in spirit
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from buffer import ReplayBuffer
from glider_env import GliderEnv


@dataclass
class Args:
    seed: int = 1
    total_timesteps: int = 90
    buffer_size: int = 64
    gamma: float = 0.98
    tau: float = 0.01
    batch_size: int = 32
    learning_starts: int = 40
    policy_lr: float = 3e-3
    q_lr: float = 1e-3
    policy_frequency: int = 2
    """the delayed policy updates"""
    autotune: bool = True
    log_every: int = 25
    backend: str = "aot_eager"


LOG_STD_MAX, LOG_STD_MIN = 2, -5


class SoftQNetwork(nn.Module):
    def __init__(self, env):
        super().__init__()
        self.fc1 = nn.Linear(env.observation_dim + env.action_dim, 24)
        self.fc2 = nn.Linear(24, 1)

    def forward(self, x, a):
        return self.fc2(F.relu(self.fc1(torch.cat([x, a], 1)))).view(-1)


class Actor(nn.Module):
    def __init__(self, env):
        super().__init__()
        self.fc1 = nn.Linear(env.observation_dim, 24)
        self.fc_mean = nn.Linear(24, env.action_dim)
        self.fc_logstd = nn.Linear(24, env.action_dim)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        log_std = torch.tanh(self.fc_logstd(x))
        log_std = LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)
        return self.fc_mean(x), log_std

    def get_action(self, x):
        mean, log_std = self(x)
        noise = torch.randn_like(mean)
        action = torch.tanh(mean + log_std.exp() * noise)
        log_prob = -0.5 * noise.square() - log_std - torch.log(1 - action.square() + 1e-6)
        return action, log_prob.sum(1)


if __name__ == "__main__":
    args = Args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = GliderEnv(args.seed)
    actor = Actor(env)
    qf1, qf2 = SoftQNetwork(env), SoftQNetwork(env)
    qf1_target, qf2_target = SoftQNetwork(env), SoftQNetwork(env)
    qf1_target.load_state_dict(qf1.state_dict())
    qf2_target.load_state_dict(qf2.state_dict())
    q_optimizer = optim.Adam([*qf1.parameters(), *qf2.parameters()], lr=args.q_lr)
    actor_optimizer = optim.Adam(actor.parameters(), lr=args.policy_lr)

    target_entropy = -float(env.action_dim)
    log_alpha = torch.zeros(1, requires_grad=True)
    alpha = log_alpha.exp().item()
    a_optimizer = optim.Adam([log_alpha], lr=args.q_lr)

    @torch.compile(backend=args.backend)
    def critic_loss(data, alpha):
        with torch.no_grad():
            next_actions, next_log_pi = actor.get_action(data.next_observations)
            q1_next = qf1_target(data.next_observations, next_actions)
            q2_next = qf2_target(data.next_observations, next_actions)
            q_next = torch.min(q1_next, q2_next) - alpha * next_log_pi
            target = data.rewards + (1 - data.dones) * args.gamma * q_next
        q1 = qf1(data.observations, data.actions)
        q2 = qf2(data.observations, data.actions)
        metrics = {"q1": q1.mean().item(), "target": target.mean().item()}
        return F.mse_loss(q1, target) + F.mse_loss(q2, target), metrics

    @torch.compile(backend=args.backend)
    def actor_loss(observations, alpha):
        pi, log_pi = actor.get_action(observations)
        min_q = torch.min(qf1(observations, pi), qf2(observations, pi))
        return (alpha * log_pi - min_q).mean(), log_pi.detach()

    rb = ReplayBuffer(args.buffer_size, env.observation_dim, env.action_dim, args.seed)
    obs = env.reset()
    returns = [0.0]
    for global_step in range(args.total_timesteps):
        if global_step < args.learning_starts:
            action = np.array([random.uniform(-1, 1)], np.float32)
        else:
            with torch.no_grad():
                action = actor.get_action(torch.from_numpy(obs)[None])[0][0].numpy()
        next_obs, reward, terminated, truncated = env.step(action)
        rb.add(obs, next_obs, action, reward, terminated)
        returns[-1] += reward
        obs = next_obs
        if terminated or truncated:
            obs = env.reset()
            returns.append(0.0)

        if global_step < args.learning_starts:
            continue
        data = rb.sample(args.batch_size)
        qf_loss, metrics = critic_loss(data, alpha)
        q_optimizer.zero_grad()
        qf_loss.backward()
        q_optimizer.step()

        if global_step % args.policy_frequency == 0:  # TD3-like delay
            for _ in range(args.policy_frequency):
                pi_loss, log_pi = actor_loss(data.observations, alpha)
                actor_optimizer.zero_grad()
                pi_loss.backward()
                actor_optimizer.step()
                if args.autotune:
                    alpha_loss = (-log_alpha.exp() * (log_pi + target_entropy)).mean()
                    a_optimizer.zero_grad()
                    alpha_loss.backward()
                    a_optimizer.step()
                    alpha = log_alpha.exp().item()

        with torch.no_grad():
            for net, target_net in ((qf1, qf1_target), (qf2, qf2_target)):
                for p, tp in zip(net.parameters(), target_net.parameters(), strict=True):
                    tp.lerp_(p, args.tau)

        if global_step % args.log_every == 0:
            print(f"{global_step}: q {metrics['q1']:.3f} of {metrics['target']:.3f}, {alpha=:.4f}")
    print(f"episodes {len(returns)}, mean return {np.mean(returns):.3f}")
