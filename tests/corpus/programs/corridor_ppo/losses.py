import torch


def ppo_loss(agent, obs, actions, old_logprob, advantages, returns, old_values, clip_coef, args):
    logits = agent.actor(obs).log_softmax(-1)
    newlogprob = logits.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
    entropy = -(logits.exp() * logits).sum(-1)
    newvalue = agent.critic(obs).view(-1)

    logratio = newlogprob - old_logprob
    ratio = logratio.exp()
    with torch.no_grad():
        approx_kl = ((ratio - 1) - logratio).mean()
        clipfrac = ((ratio - 1.0).abs() > clip_coef).float().mean()

    if args.norm_adv:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)

    # Policy loss
    pg_loss1 = -advantages * ratio
    pg_loss2 = -advantages * torch.clamp(ratio, 1 - clip_coef, 1 + clip_coef)
    pg_loss = torch.max(pg_loss1, pg_loss2).mean()

    # Value loss
    v_loss_unclipped = (newvalue - returns) ** 2
    v_clipped = old_values + torch.clamp(newvalue - old_values, -clip_coef, clip_coef)
    v_loss = 0.5 * torch.max(v_loss_unclipped, (v_clipped - returns) ** 2).mean()

    loss = pg_loss - args.ent_coef * entropy.mean() + v_loss * args.vf_coef
    return loss, pg_loss, v_loss, approx_kl, clipfrac
