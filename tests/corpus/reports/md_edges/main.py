import torch
from calculator import MACECalculator


def main():
    torch.manual_seed(0)
    calc = MACECalculator(r_max=1.6)
    g = torch.Generator().manual_seed(1)
    pos = torch.rand(8, 3, generator=g) * 3
    vel = torch.randn(8, 3, generator=g) * 0.6
    dt = 0.15
    for step in range(12):
        energy, forces, n_edges = calc.calculate(pos)
        vel = vel + dt * forces
        pos = pos + dt * vel
        print(f"step {step:2d} edges {n_edges:3d} energy {energy:.5f}")
    print("FINAL", round(energy, 4))


if __name__ == "__main__":
    main()
