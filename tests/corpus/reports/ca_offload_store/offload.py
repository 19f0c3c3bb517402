import torch


class OffloadActivations(torch.autograd.graph.saved_tensors_hooks):
    """keeps large saved tensors on the host until the backward asks for them"""

    def __init__(self, min_numel):
        self.min_numel = min_numel
        self.host = {}
        self.next_id = 0
        super().__init__(self.pack, self.unpack)

    def pack(self, t):
        if t.numel() < self.min_numel or isinstance(t, torch.nn.Parameter):
            return t
        self.next_id += 1
        self.host[self.next_id] = t.detach().to("cpu", copy=True)
        return self.next_id

    def unpack(self, key):
        if isinstance(key, torch.Tensor):
            return key
        return self.host.pop(key)
