"""Small behaviour-cloning policy: an encoder, an action head and a chunk VAE."""
import torch
from torch import nn
import torch.nn.functional as F


class ChunkPolicy(nn.Module):
    def __init__(self, obs_dim=14, act_dim=6, chunk=5, latent=8, hidden=48):
        super().__init__()
        self.chunk, self.act_dim = chunk, act_dim
        self.encoder = nn.Sequential(nn.Linear(obs_dim, hidden), nn.GELU(), nn.Linear(hidden, hidden))
        self.posterior = nn.Linear(hidden + chunk * act_dim, 2 * latent)
        self.head = nn.Sequential(nn.Linear(hidden + latent, hidden), nn.GELU(), nn.Linear(hidden, chunk * act_dim))

    def forward(self, obs, actions, noise):
        h = self.encoder(obs)
        mu, logvar = self.posterior(torch.cat([h, actions.flatten(1)], dim=1)).chunk(2, dim=1)
        z = mu + noise * torch.exp(0.5 * logvar)
        predicted = self.head(torch.cat([h, z], dim=1)).view(-1, self.chunk, self.act_dim)
        return self.compute_loss(predicted, actions, mu, logvar)

    def compute_loss(self, predicted, actions, mu, logvar):
        l1 = F.l1_loss(predicted, actions)
        kl = -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(dim=1).mean()
        loss = l1 + 0.1 * kl
        parts = {"l1": l1.item(), "kl": kl.item()}
        return loss, parts
