import torch
from tts import TextEncoder


def main():
    torch.manual_seed(0)
    enc = TextEncoder(vocab=30, dim=12).eval()
    fast = torch.compile(enc, backend="aot_eager")
    g = torch.Generator().manual_seed(0)
    total = 0.0
    with torch.no_grad():
        for sentence in range(4):
            phonemes = torch.randint(1, 30, (1, 18), generator=g)
            mel, dur = fast(phonemes)
            total += mel.abs().mean().item() + dur.sum().item()
            print(f"sentence {sentence} duration {dur.sum().item():.3f}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
