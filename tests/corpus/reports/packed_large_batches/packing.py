import torch


def pack(tensor):
    return tensor.clone()


def unpack(tensor):
    return tensor


class Packer:
    """Decides how many layers of a step are packed."""

    def __init__(self, levels):
        self.levels = levels

    def layers_for(self, tokens):
        return sum(tokens > level for level in self.levels)

    def context(self):
        return torch.autograd.graph.saved_tensors_hooks(pack, unpack)
