import torch
from asr import Decoder, SpeechCache


def main():
    torch.manual_seed(0)
    dec = Decoder(vocab=24, dim=12, layers=5).eval()
    for layer in dec.layers:
        layer.compile(backend="aot_eager")
    g = torch.Generator().manual_seed(5)
    texts = []
    with torch.no_grad():
        for clip in range(3):
            audio = torch.randn(1, 10, 12, generator=g)
            cache = SpeechCache(layers=5, max_len=8, frames=10, dim=12)
            token, text = torch.tensor([[1]]), []
            for pos in range(5):
                logits = dec(token, audio, cache, torch.tensor([pos]))
                token = logits[:, -1:].argmax(-1)
                text.append(token.item())
            texts.append(text)
            print("clip", clip, text)
    print("FINAL", sum(i * t for i, t in enumerate(sum(texts, []))))


if __name__ == "__main__":
    main()
