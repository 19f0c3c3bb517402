"""Adapts a network that knows peppers to tomatoes."""

import torch
from lion import Lion
from plan import Plan
from torch import nn
from torch.nn import functional

STEPS = 12


def tomatoes(count=96):
    spectra = torch.rand(count, 20)
    return spectra, (spectra[:, :5].sum(1) > 2.5).long() + (spectra[:, 12] > 0.7)


def network(width=24):
    layers = [nn.Linear(20, width), *(nn.Linear(width, width) for _ in range(2))]
    modules = [module for layer in layers for module in (layer, nn.ReLU())]
    return nn.Sequential(*modules, nn.Linear(width, 3))


def main():
    torch.manual_seed(0)
    spectra, ripeness = tomatoes()
    model = network()
    layers = [module for module in model if isinstance(module, nn.Linear)]
    optimizer = Lion(model.parameters())
    plan = Plan(optimizer, layers, STEPS)
    for step in range(STEPS):
        plan.before(step)
        chosen = torch.randint(len(spectra), (32,))
        loss = functional.cross_entropy(model(spectra[chosen]), ripeness[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
