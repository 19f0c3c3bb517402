"""Fine-tunes on left-padded answers of several lengths."""
import torch
import torch.nn.functional as F

from model import Causal

LENGTHS = [14, 9, 17, 11, 14, 20]


def main():
    torch.manual_seed(49)
    generator = torch.Generator().manual_seed(49)
    model = Causal()
    compiled = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for step, longest in enumerate(LENGTHS):
        tokens = torch.randint(48, (6, longest), generator=generator)
        skipped = torch.randint(0, longest // 2, (6, 1), generator=generator)
        mask = torch.arange(longest)[None] >= skipped
        logits = compiled(tokens, mask)
        keep = mask[:, :-1].flatten()
        losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), reduction="none")
        loss = (losses * keep).sum() / keep.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} length {longest} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
