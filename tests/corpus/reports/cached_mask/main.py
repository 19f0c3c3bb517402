import torch
from attention import LocalGatedAttention


def clips():
    for seed, (frames, n) in enumerate([(3, 9), (2, 12), (2, 9), (2, 15), (2, 12)]):
        g = torch.Generator().manual_seed(seed)
        yield torch.randn(frames, n, 16, generator=g)


def main():
    torch.manual_seed(0)
    attn = LocalGatedAttention(dim=16, max_dis=3).eval()
    total = 0.0
    with torch.no_grad():
        for i, clip in enumerate(clips()):
            for frame in clip:
                out = attn(frame)
                total += out.abs().mean().item()
            print(f"clip {i}: {tuple(clip.shape)} -> {total:.4f}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
