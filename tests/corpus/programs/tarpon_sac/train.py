# Soft actor-critic with automatic entropy tuning.
import copy
import random

import numpy as np
import torch
import torch.nn.functional as F
import torch.optim as optim
from agent import Actor, SoftQNetwork, polyak
from buffer import ReplayBuffer
from config import Args
from tank import Tank


def main(args: Args):
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = Tank(args.seed)
    actor = Actor(env.obs_dim, env.act_dim, env.act_limit)
    qf1 = SoftQNetwork(env.obs_dim, env.act_dim)
    qf2 = SoftQNetwork(env.obs_dim, env.act_dim)
    qf1_target, qf2_target = copy.deepcopy(qf1), copy.deepcopy(qf2)
    q_optimizer = optim.Adam([*qf1.parameters(), *qf2.parameters()], lr=args.q_lr)
    actor_optimizer = optim.Adam(actor.parameters(), lr=args.policy_lr)
    log_alpha = torch.zeros(1, requires_grad=True)
    alpha = log_alpha.exp().item()
    a_optimizer = optim.Adam([log_alpha], lr=args.q_lr)
    slope = torch.zeros(())

    def note_slope(grad):
        slope.copy_(grad.norm())

    rb = ReplayBuffer(args.buffer_size, env.obs_dim, env.act_dim, args.seed)

    obs, ep_return = env.reset(), 0.0
    for global_step in range(args.total_timesteps):
        if global_step < args.learning_starts:
            action = np.random.uniform(-env.act_limit, env.act_limit, env.act_dim)
        else:
            with torch.no_grad():
                sample, _ = actor.get_action(torch.from_numpy(obs).float().unsqueeze(0))
            action = sample.squeeze(0).numpy()
        next_obs, reward, done = env.step(action)
        rb.add(obs, action, next_obs, reward, done)
        ep_return += reward
        obs = next_obs
        if done:
            print(f"global_step={global_step}, episodic_return={ep_return:.2f}")
            obs, ep_return = env.reset(), 0.0

        if global_step < args.learning_starts:
            continue
        log_now = global_step % args.log_every == 0
        data = rb.sample(args.batch_size)
        with torch.no_grad():
            next_actions, next_log_pi = actor.get_action(data.next_observations)
            qf1_next = qf1_target(data.next_observations, next_actions)
            qf2_next = qf2_target(data.next_observations, next_actions)
            min_qf_next = torch.min(qf1_next, qf2_next) - alpha * next_log_pi
            next_q = data.rewards + (1 - data.dones) * args.gamma * min_qf_next.view(-1)

        qf1_loss = F.mse_loss(qf1(data.observations, data.actions).view(-1), next_q)
        qf2_loss = F.mse_loss(qf2(data.observations, data.actions).view(-1), next_q)
        qf_loss = qf1_loss + qf2_loss
        q_optimizer.zero_grad()
        qf_loss.backward()
        q_optimizer.step()

        if global_step % args.policy_frequency == 0:  # delayed, and made up for
            for _ in range(args.policy_frequency):
                pi, log_pi = actor.get_action(data.observations)
                if log_now:
                    pi.register_hook(note_slope)
                qf_pi = torch.min(qf1(data.observations, pi), qf2(data.observations, pi))
                actor_loss = (alpha * log_pi - qf_pi).mean()
                actor_optimizer.zero_grad()
                actor_loss.backward()
                actor_optimizer.step()

                alpha_loss = (-log_alpha.exp() * (log_pi.detach() + args.target_entropy)).mean()
                a_optimizer.zero_grad()
                alpha_loss.backward()
                a_optimizer.step()
                alpha = log_alpha.exp().item()

            if log_now:
                row = {"qf": qf_loss, "actor": actor_loss, "slope": slope}
                print(global_step, {k: round(v.item(), 3) for k, v in row.items()}, f"{alpha:.3f}")

        if global_step % args.target_network_frequency == 0:
            polyak(qf1, qf1_target, args.tau)
            polyak(qf2, qf2_target, args.tau)


if __name__ == "__main__":
    main(Args())
