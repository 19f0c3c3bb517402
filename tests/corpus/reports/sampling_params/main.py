import torch
from t2s import Text2Semantic


def main():
    torch.manual_seed(0)
    model = Text2Semantic(vocab=40, dim=16).eval()
    total = 0
    for temperature, top_k in [(0.7, 8), (0.7, 4), (0.9, 4), (1.2, 12), (0.5, 20)]:
        tokens = model.generate(start=1, n=5, temperature=temperature, top_k=top_k)
        print(f"T={temperature} k={top_k}: {tokens}")
        total += sum(tokens)
    print("FINAL", total)


if __name__ == "__main__":
    main()
