import torch
from asr_encoder import AudioEncoder


def main():
    torch.manual_seed(0)
    encoder = AudioEncoder(mels=10, dim=16, layers=3).eval()
    encoder.forward = torch.compile(encoder.forward, backend="aot_eager")
    g = torch.Generator().manual_seed(0)
    total = 0.0
    with torch.no_grad():
        for clip in range(4):
            feats = torch.randn(1, 20, 10, generator=g)
            out = encoder(feats)
            total += out.float().abs().mean().item()
            print(f"clip {clip} {out.shape[1]} frames")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
