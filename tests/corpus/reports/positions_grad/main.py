import torch
from predict import PredictUnit


def structures():
    for seed in range(4):
        g = torch.Generator().manual_seed(seed)
        yield {"pos": torch.rand(7, 3, generator=g) * 3, "cell": torch.eye(3) * 4, "z": torch.randint(1, 5, (7,), generator=g)}


def main():
    torch.manual_seed(0)
    unit = PredictUnit()
    total = 0.0
    for i, data in enumerate(structures()):
        energy, forces, stress = unit.predict(data)
        print(f"structure {i}: E {energy.item():.4f} |F| {forces.norm().item():.4f} |S| {stress.norm().item():.4f}")
        total += energy.item() + forces.abs().sum().item()
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
