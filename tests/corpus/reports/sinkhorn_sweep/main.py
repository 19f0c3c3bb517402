import torch
from embed import SinkhornEmbedding


def main():
    g = torch.Generator().manual_seed(0)
    X = torch.randn(24, 5, generator=g)
    total = 0.0
    for n_iter in (2, 3, 4, 5, 6, 7, 8, 9, 10, 12):
        est = SinkhornEmbedding(n_iter=n_iter, temperature=1.5)
        est.fit(X)
        total += est.transport
        print(f"{n_iter} rounds: marginal error {est.error:.6f}, transport {est.transport:.4f}")
    print("FINAL", round(total, 3))


if __name__ == "__main__":
    main()
