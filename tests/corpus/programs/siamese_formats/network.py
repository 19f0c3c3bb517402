"""A siamese network and the maps that show where it looks."""

from contextlib import contextmanager

from torch import nn


class Siamese(nn.Module):
    def __init__(self, channels=6, width=8):
        super().__init__()
        self.first = nn.Conv2d(1, channels, 3)
        self.second = nn.Conv2d(channels, channels, 3)
        self.project = nn.Linear(channels, width)

    def features(self, x):
        return self.second(self.first(x).relu()).relu()

    def forward(self, x):
        return self.project(self.features(x).mean((2, 3)))


class GradCam:
    def __init__(self, layer):
        self.layer = layer
        self.maps, self.latest = [], None

    @contextmanager
    def recording(self):
        handle = self.layer.register_full_backward_hook(self._store)
        try:
            yield
            self.maps.append(self.latest)
        finally:
            handle.remove()

    def _store(self, module, grad_input, grad_output):
        self.latest = grad_output[0].detach().abs().mean(1)
