import torch


class DDPMScheduler:
    def __init__(self, num_train_timesteps=100, beta_start=1e-4, beta_end=0.02):
        self.num_train_timesteps = num_train_timesteps
        self.betas = torch.linspace(beta_start, beta_end, num_train_timesteps)
        self.alphas_cumprod = torch.cumprod(1.0 - self.betas, dim=0)
        self.timesteps = list(range(num_train_timesteps))[::-1]

    def set_timesteps(self, num_inference_steps):
        self.stride = self.num_train_timesteps // num_inference_steps
        self.timesteps = [i * self.stride for i in range(num_inference_steps)][::-1]

    def add_noise(self, original, noise, timesteps):
        a = self.alphas_cumprod[timesteps].view(-1, 1, 1, 1)
        return a.sqrt() * original + (1 - a).sqrt() * noise

    def step(self, model_output, timestep, sample):
        previous = timestep - self.stride
        a_t = self.alphas_cumprod[timestep]
        a_prev = self.alphas_cumprod[previous] if previous >= 0 else torch.tensor(1.0)
        pred_original = (sample - (1 - a_t).sqrt() * model_output) / a_t.sqrt()
        pred_original = pred_original.clamp(-2, 2)
        return a_prev.sqrt() * pred_original + (1 - a_prev).sqrt() * model_output
