"""Gradients that contradict each other are made orthogonal."""

import random

import torch


class GradientSurgery:
    def __init__(self, shared, seed=0):
        self.shared = list(shared)
        self.rng = random.Random(seed)

    def gradients(self, loss):
        found = torch.autograd.grad(loss, self.shared, retain_graph=True)
        return torch.cat([gradient.flatten() for gradient in found])

    def __call__(self, losses):
        vectors = [self.gradients(loss) for loss in losses]
        mended = []
        for vector in vectors:
            others = [other for other in vectors if other is not vector]
            self.rng.shuffle(others)
            for other in others:
                overlap = torch.dot(vector, other).clamp(max=0)
                vector = vector - overlap / other.square().sum() * other
            mended.append(vector)
        return torch.stack(mended).sum(0)

    def assign(self, vector):
        sizes = [parameter.numel() for parameter in self.shared]
        for parameter, part in zip(self.shared, vector.split(sizes), strict=True):
            parameter.grad = part.view_as(parameter).clone()
