"""A toy speech decoder (attention over the text, location-sensitive), decoded frame by frame."""
import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.loc = nn.Linear(1, width)
        self.score = nn.Linear(width, 1)
        self.cell = nn.Linear(2 * width, width)

    def step(self, frame, memory, alignments):
        seen = torch.zeros(memory.shape[:2])
        for past in alignments:
            seen = seen + past
        energy = torch.tanh(self.query(frame)[:, None] + memory + self.loc(seen[..., None]))
        align = self.score(energy).squeeze(-1).softmax(-1)
        context = (align[..., None] * memory).sum(1)
        return torch.tanh(self.cell(torch.cat((frame, context), -1))), align


@torch.inference_mode()
def main():
    torch.manual_seed(21)
    decoder = Decoder().eval()
    step = torch.compile(decoder.step, backend="eager")
    memory = torch.randn(2, 15, 12)
    frame = torch.zeros(2, 12)
    alignments = []
    frames = []
    for _ in range(14):
        frame, align = step(frame, memory, alignments)
        alignments.append(align)
        frames.append(frame)
    print(f"FINAL {torch.stack(frames).norm().item():.4f}")


if __name__ == "__main__":
    main()
