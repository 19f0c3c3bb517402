"""What reaches the bottleneck from the decoder's side."""

from collections import deque


class LatentMonitor:
    def __init__(self, keep=100, limit=10.0):
        self.recent = deque(maxlen=keep)
        self.limit = limit

    def watch(self, latent):
        latent.register_hook(self._on_grad)

    def _on_grad(self, grad):
        self.recent.append(grad.norm().item())
        return grad.clamp(-self.limit, self.limit)

    def summary(self):
        return sum(self.recent) / max(1, len(self.recent))
