import torch


class Pipeline:
    def __init__(self, unet, scheduler):
        self.unet, self.scheduler = unet, scheduler

    @torch.no_grad()
    def __call__(self, shape, steps):
        self.scheduler.set_timesteps(steps)
        sample = torch.randn(shape)
        for t in self.scheduler.timesteps:
            noise = self.unet(sample, t)
            sample = self.scheduler.step(noise, sample)
        return sample
