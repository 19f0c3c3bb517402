"""Fits a potential to energies, and to forces where a calculation has them."""

import torch
from potential import PairPotential
from records import mixture
from torch.nn import functional

FORCE_WEIGHT = 0.1


def main() -> None:
    torch.manual_seed(3)
    potential = PairPotential()
    optimizer = torch.optim.AdamW(potential.parameters(), lr=2e-3)
    for cells in mixture(9):
        positions = cells.positions
        if cells.forces is not None:
            positions.requires_grad_()
        energy = potential(positions, cells.kinds)
        loss = functional.mse_loss(energy, cells.energy)
        if cells.forces is not None:
            (slope,) = torch.autograd.grad(energy.sum(), positions, create_graph=True)
            loss = loss + FORCE_WEIGHT * functional.mse_loss(-slope, cells.forces)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
