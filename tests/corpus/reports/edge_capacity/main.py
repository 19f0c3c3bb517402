import torch
from potential import Potential
from structures import relaxation_steps


def main():
    torch.manual_seed(0)
    model = Potential(dim=8).eval()
    energy = torch.compile(model, backend="aot_eager", dynamic=True)
    total = 0.0
    with torch.no_grad():
        for i, (z, pos, edges) in enumerate(relaxation_steps(10)):
            e = energy(z, pos, edges)
            total += e.item()
            print(f"step {i}: {edges.shape[1]} edges, energy {e.item():.5f}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
