# SAC in one file, for a peg and a hole
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
import torch.optim as optim
from buffers import ReplayBuffer
from networks import Actor, SoftQNetwork
from peg_env import PegEnv


@dataclass
class Args:
    seed: int = 4
    total_timesteps: int = 44
    learning_starts: int = 10
    batch_size: int = 16
    gamma: float = 0.98
    tau: float = 0.01
    policy_lr: float = 3e-4
    q_lr: float = 1e-3
    policy_frequency: int = 2
    log_frequency: int = 10
    beta_start: float = 2.0
    beta_end: float = 0.5
    beta_steps: int = 4


def linear_schedule(start, end, duration, t):
    return max((end - start) / duration * t + start, end)


args = Args()
slope = torch.zeros(())


def note_slope(grad):
    slope.copy_(grad.norm(dim=1).mean())


random.seed(args.seed)
np.random.seed(args.seed)
torch.manual_seed(args.seed)

env = PegEnv(args.seed)
actor = Actor(env)
qf1, qf2 = SoftQNetwork(env), SoftQNetwork(env)
qf1_target, qf2_target = SoftQNetwork(env), SoftQNetwork(env)
qf1_target.load_state_dict(qf1.state_dict())
qf2_target.load_state_dict(qf2.state_dict())
q_optimizer = optim.Adam([*qf1.parameters(), *qf2.parameters()], lr=args.q_lr)
actor_optimizer = optim.Adam(actor.parameters(), lr=args.policy_lr)
target_entropy = -float(env.act_dim)
log_alpha = torch.zeros(1, requires_grad=True)
alpha = log_alpha.exp().item()
a_optimizer = optim.Adam([log_alpha], lr=args.q_lr)
rb = ReplayBuffer(200, env.obs_dim, env.act_dim)

with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
    obs = env.reset()
    for global_step in range(args.total_timesteps):
        if global_step < args.learning_starts:
            action = torch.from_numpy(np.random.uniform(-1, 1, env.act_dim).astype(np.float32))
        else:
            with torch.no_grad():
                action = actor.get_action(obs[None])[0][0]
        next_obs, reward, done = env.step(action)
        rb.add(obs, next_obs, action, reward, done)
        obs = env.reset() if done else next_obs
        if global_step < args.learning_starts:
            continue

        data = rb.sample(args.batch_size)
        updates = global_step - args.learning_starts
        beta = linear_schedule(args.beta_start, args.beta_end, args.beta_steps, updates // 8)
        with torch.no_grad():
            next_actions, next_log_pi = actor.get_action(data.next_observations)
            next_q = torch.min(
                qf1_target(data.next_observations, next_actions),
                qf2_target(data.next_observations, next_actions),
            )
            target = data.rewards + (1 - data.dones) * args.gamma * (next_q - alpha * next_log_pi)
        qf1_loss = F.smooth_l1_loss(qf1(data.observations, data.actions), target, beta=beta)
        qf2_loss = F.smooth_l1_loss(qf2(data.observations, data.actions), target, beta=beta)
        qf_loss = qf1_loss + qf2_loss
        q_optimizer.zero_grad()
        qf_loss.backward()
        q_optimizer.step()

        logging = global_step % args.log_frequency == 0
        if global_step % args.policy_frequency == 0:
            for _ in range(args.policy_frequency):
                pi, log_pi = actor.get_action(data.observations)
                if logging:
                    pi.register_hook(note_slope)
                min_qf_pi = torch.min(qf1(data.observations, pi), qf2(data.observations, pi))
                actor_loss = (alpha * log_pi - min_qf_pi).mean()
                actor_optimizer.zero_grad()
                actor_loss.backward()
                actor_optimizer.step()
                alpha_loss = (-log_alpha.exp() * (log_pi.detach() + target_entropy)).mean()
                a_optimizer.zero_grad()
                alpha_loss.backward()
                a_optimizer.step()
                alpha = log_alpha.exp().item()

        with torch.no_grad():
            for net, slow in ((qf1, qf1_target), (qf2, qf2_target)):
                for param, held in zip(net.parameters(), slow.parameters(), strict=True):
                    held.lerp_(param, args.tau)
        if logging:
            print(f"{global_step}: qf {qf_loss:.3f} actor {actor_loss:.3f} dQ/da {slope:.4f}")
