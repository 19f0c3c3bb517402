import torch
from torch import nn


class ZeroEngine:
    """puts a function after every linear layer that acts in the backward"""

    def __init__(self, model, loss_scale=8.0):
        self.loss_scale = loss_scale
        self.watched = 0
        for m in model.modules():
            if isinstance(m, nn.Linear):
                m.register_forward_hook(self._make_hook())
                self.watched += 1

    def _make_hook(self):
        clip = self.loss_scale

        def hook(module, args, output):
            class PreBackwardFunctionForModule(torch.autograd.Function):
                @staticmethod
                def forward(ctx, outputs):
                    return outputs.clone()

                @staticmethod
                def backward(ctx, grad):
                    return grad.clamp(-clip, clip)

            return PreBackwardFunctionForModule.apply(output)

        return hook
