"""The losses of one minibatch, and estimates of the advantage."""

import torch


class Objective:
    def __init__(self, agent, args):
        self.agent, self.args = agent, args
        self.clip_coef = args.clip_coef

    def anneal(self, fraction):
        self.clip_coef = self.args.clip_coef * fraction

    def __call__(self, obs, actions, logprobs, advantages, returns, values):
        _, newlogprob, entropy, newvalue = self.agent.get_action_and_value(obs, action=actions)
        logratio = newlogprob - logprobs
        ratio = logratio.exp()
        approx_kl = ((ratio - 1) - logratio).mean()

        if self.args.norm_adv:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = torch.clamp(ratio, 1 - self.clip_coef, 1 + self.clip_coef)
        pg_loss = torch.max(-advantages * ratio, -advantages * clipped).mean()

        v_loss = 0.5 * (newvalue - returns).square()
        if self.args.clip_vloss:
            v_clipped = values + torch.clamp(newvalue - values, -0.2, 0.2)
            v_loss = torch.max(v_loss, 0.5 * (v_clipped - returns).square())

        loss = pg_loss - self.args.ent_coef * entropy.mean() + v_loss.mean() * self.args.vf_coef
        stats = {
            "approx_kl": approx_kl.item(),
            "entropy": entropy.mean().detach(),
            "v_loss": v_loss.mean().detach(),
        }
        return loss, stats


@torch.no_grad()
def gae(rewards, values, dones, next_value, gamma, gae_lambda):
    advantages = torch.zeros_like(rewards)
    last = torch.zeros_like(next_value)
    for t in reversed(range(len(rewards))):
        following = next_value if t == len(rewards) - 1 else values[t + 1]
        alive = 1.0 - dones[t]
        delta = rewards[t] + gamma * following * alive - values[t]
        last = delta + gamma * gae_lambda * alive * last
        advantages[t] = last
    return advantages, advantages + values
