import torch


class DDPMScheduler:
    def __init__(self, num_train_timesteps=100, beta_start=1e-4, beta_end=0.02):
        self.num_train_timesteps = num_train_timesteps
        betas = torch.linspace(beta_start**0.5, beta_end**0.5, num_train_timesteps) ** 2
        self.alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)

    def add_noise(self, original, noise, timesteps):
        alpha = self.alphas_cumprod[timesteps].view(-1, 1, 1, 1)
        return alpha.sqrt() * original + (1 - alpha).sqrt() * noise

    def compute_snr(self, timesteps):
        alpha = self.alphas_cumprod[timesteps]
        return alpha / (1 - alpha)


class EMAModel:
    def __init__(self, parameters, max_decay=0.95):
        self.shadow = [p.detach().clone() for p in parameters]
        self.max_decay, self.optimization_step = max_decay, 0

    @torch.no_grad()
    def step(self, parameters):
        self.optimization_step += 1
        decay = min(self.max_decay, (1 + self.optimization_step) / (10 + self.optimization_step))
        for shadow, parameter in zip(self.shadow, parameters, strict=True):
            shadow.lerp_(parameter, 1 - decay)
