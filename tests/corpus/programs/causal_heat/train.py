"""Solves the heat equation with a network."""

import torch
from solver import Solver

if __name__ == "__main__":
    torch.manual_seed(0)
    Solver().solve()
