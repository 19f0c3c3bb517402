"""VAE on drawings of teapots. Does the posterior still get gradients from the decoder?"""

import torch
import torch.nn.functional as F
from vae import Encoder, decoder, teapots

steps, batch, warmup = 24, 32, 12
watch_every = 6

gen = torch.Generator().manual_seed(5)
torch.manual_seed(5)
enc, dec = Encoder(), decoder()
params = [*enc.parameters(), *dec.parameters()]
opt = torch.optim.Adam(params, lr=2e-3)
pull = torch.zeros(batch)  # on each latent code, from everything after it


def keep_pull(grad):
    pull.copy_(grad.norm(dim=1))


for step in range(1, steps + 1):
    x = teapots(batch, gen)
    mu, logvar = enc(x)
    std = torch.exp(0.5 * logvar)
    z = mu + std * torch.randn_like(std)
    if step % watch_every == 0:
        z.register_hook(keep_pull)

    recon = F.binary_cross_entropy_with_logits(dec(z), x.flatten(1), reduction="none").sum(1).mean()
    kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(1).mean()
    beta = min(1.0, step / warmup)
    loss = recon + beta * kl

    opt.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 5.0)
    opt.step()

    if step % watch_every == 0:
        active = (mu.var(0) > 1e-3).sum().item()
        print(f"{step:3d} recon {recon:.2f} kl {kl:.2f} active {active} pull {pull.mean():.4f}")
