"""Keep metrics and histograms of a run."""
import torch
from torch import nn


class Tracker:
    def __init__(self, bins=8):
        self.rows = []
        self.bins = bins

    def log(self, name, value):
        self.rows.append((name, value))

    def histogram(self, name, tensor):
        counts = torch.histc(tensor.detach(), bins=self.bins)
        self.log(name, counts.tolist())

    def watch(self, model):
        for name, layer in model.named_modules():
            if isinstance(layer, nn.Linear):
                layer.register_forward_hook(self.hook_for(name))

    def hook_for(self, name):
        def hook(layer, inputs, output):
            self.histogram(f"activations/{name}", output)

        return hook
