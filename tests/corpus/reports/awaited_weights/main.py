import torch
from shards import ShardStore

DIM = 6


def block(x, w_in, w_out, bias):
    return x + torch.tanh(x @ w_in + bias) @ w_out


def main():
    torch.manual_seed(0)
    store = ShardStore({"w_in": torch.randn(DIM, DIM), "w_out": torch.randn(DIM, DIM), "bias": torch.randn(DIM)})
    fast_block = torch.compile(block, backend="aot_eager")
    g = torch.Generator().manual_seed(2)
    total = 0.0
    for step in range(12):
        store.gather(step)
        x = torch.randn(3, DIM, generator=g)
        w = {name: store.get(name) for name in ("w_in", "w_out", "bias")}
        out = fast_block(x, w["w_in"], w["w_out"], w["bias"])
        out = out.wait() if hasattr(out, "wait") else out
        total += out.abs().sum().item()
        print(f"step {step} {store.pending()} pending, mean {out.mean().item():.4f}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
