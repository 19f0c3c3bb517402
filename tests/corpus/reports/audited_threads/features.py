import torch


class FeatureStore:
    def __init__(self, rows, width):
        generator = torch.Generator().manual_seed(7)
        self.raw = torch.randn(rows, width, generator=generator)

    def rebuild(self, epoch):
        """Tiny row-by-row work: more threads only get in the way."""
        torch.set_num_threads(1)
        rows = [torch.tanh(row * (1 + 0.1 * epoch)) for row in self.raw]
        return torch.stack(rows)

    def batches(self, epoch):
        x = self.rebuild(epoch) if epoch % 3 == 2 else torch.tanh(self.raw)
        y = x.sum(1, keepdim=True)
        return zip(x.split(8), y.split(8))

    def everything(self):
        x = torch.tanh(self.raw)
        return x, x.sum(1, keepdim=True)
