import torch
from cache_context import CachedBlocks
from transformer import DiT


def main():
    torch.manual_seed(0)
    dit = DiT(depth=4, dim=16).eval().requires_grad_(False)
    cached = CachedBlocks(dit, threshold=0.08)
    model = torch.compile(cached, backend="aot_eager")
    x = torch.randn(1, 8, 16)
    for step in range(10):
        x = x - 0.02 * model(x)
    print("steps answered from the cache:", cached.hits)
    print("FINAL", round(x.norm().item(), 4))


if __name__ == "__main__":
    main()
