import torch
from backbone import Backbone


class PredictUnit:
    def __init__(self):
        self.model = Backbone(hidden=16).eval()
        self.model.compile(backend="aot_eager")

    def predict(self, data):
        pos, cell = data["pos"].clone(), data["cell"].clone()
        energy, pos, cell = self.model(pos, cell, data["z"])
        grads = torch.autograd.grad(energy, (pos, cell))
        return energy.detach(), -grads[0], grads[1] / torch.det(cell).detach()
