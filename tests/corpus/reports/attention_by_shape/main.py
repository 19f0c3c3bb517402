import torch
from cache_model import CachedDecoder


def main():
    torch.manual_seed(0)
    model = CachedDecoder(vocab=20, dim=16).eval()
    g = torch.Generator().manual_seed(0)
    prompt = torch.randint(0, 20, (1, 60), generator=g)
    total = 0.0
    with torch.no_grad():
        for start, chunk in [(0, 8), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8), (48, 4), (52, 4), (56, 2), (58, 2)]:
            out = model.extend(prompt[:, start:start + chunk])
            total += out.abs().mean().item()
            print(f"tokens {start}..{start + chunk - 1} ok, {len(model.attn.compiled)} wrappers")
    print("FINAL", round(total, 5))


if __name__ == "__main__":
    main()
