import torch

TAU_POS, TAU_NEG = 1.0, 1.05


def soft_gate(ratio, tau):
    return torch.sigmoid(tau * (ratio - 1.0)) * (4.0 / tau)


def policy_loss(logp, old_logp, advantages):
    ratio = torch.exp(logp - old_logp)
    adv = advantages[:, None].expand_as(ratio)
    per_token = torch.empty_like(ratio)
    positive = adv > 0
    per_token[positive] = soft_gate(ratio[positive], TAU_POS)
    per_token[~positive] = soft_gate(ratio[~positive], TAU_NEG)
    return -(per_token * adv).mean()
