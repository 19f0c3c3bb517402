import torch
from decoder import TinyDecoder


def main():
    torch.manual_seed(0)
    model = TinyDecoder(vocab=40, dim=16, window=6).eval()
    decode = torch.compile(model, dynamic=False, backend="aot_eager")
    cache = model.new_cache()
    token = torch.tensor([[3]])
    out = []
    with torch.no_grad():
        for _ in range(14):
            logits = decode(token, cache)
            token = logits.argmax(-1)
            out.append(token.item())
    print(out)
    print("FINAL", round(logits.abs().sum().item(), 4))


if __name__ == "__main__":
    main()
