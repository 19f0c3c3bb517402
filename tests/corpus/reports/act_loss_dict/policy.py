import torch
from torch import nn


class ACTPolicy(nn.Module):
    def __init__(self, obs_dim, action_dim, latent, kl_weight):
        super().__init__()
        self.kl_weight = kl_weight
        self.encoder = nn.Linear(obs_dim, 2 * latent)
        self.decoder = nn.Linear(obs_dim + latent, action_dim)

    def forward(self, batch):
        mu, log_sigma_x2 = self.encoder(batch["observation"]).chunk(2, dim=-1)
        z = mu + (log_sigma_x2 / 2).exp() * batch["eps"]
        actions_hat = self.decoder(torch.cat([batch["observation"], z], dim=-1))

        l1_loss = (batch["action"] - actions_hat).abs().mean()
        loss_dict = {"l1_loss": l1_loss.item()}
        mean_kld = (-0.5 * (1 + log_sigma_x2 - mu.pow(2) - log_sigma_x2.exp())).sum(-1).mean()
        loss_dict["kld_loss"] = mean_kld.item()
        return l1_loss + mean_kld * self.kl_weight, loss_dict
