import torch
from dialogue import Dialogue

LINES = ["[S1] Hello there.", "[S2] Oh, hi!", "[S1] Shall we go?", "[S2] Yes, please do."]


def main():
    torch.manual_seed(0)
    model = Dialogue(dim=12).eval()
    model._prepare_generation = torch.compile(model._prepare_generation, backend="aot_eager")
    total = 0.0
    with torch.no_grad():
        for line in LINES:
            audio = model.generate(line, steps=3)
            total += audio.abs().mean().item()
    print("FINAL", round(total, 5))


if __name__ == "__main__":
    main()
