import torch
from decoder import Decoder


def main():
    torch.manual_seed(0)
    model = Decoder(vocab=20, dim=16, layers=6).eval()
    for i, layer in enumerate(model.layers):
        model.layers[i] = torch.compile(layer, backend="aot_eager", dynamic=False)
    caches = [(torch.zeros(1, 16, 16), torch.zeros(1, 16, 16)) for _ in range(6)]
    token, out = torch.tensor([[3]]), []
    with torch.no_grad():
        for pos in range(6):
            logits = model(token, caches, torch.tensor([pos]))
            token = logits[:, -1:].argmax(-1)
            out.append(token.item())
    print("tokens", out)
    print("FINAL", round(logits.abs().sum().item(), 4))


if __name__ == "__main__":
    main()
