"""Writes subtitles for a few scenes."""

import torch
from writer import SubtitleWriter, WriterConfig, write

SCENES = ("harbour at dawn", "the quarrel", "end credits")


def main():
    torch.manual_seed(4)
    config = WriterConfig()
    model = SubtitleWriter(config).eval()
    step = torch.compile(model, backend="eager")
    for scene in SCENES:
        prompt = torch.randint(config.vocab, (config.rows, 8))
        ids = write(model, step, prompt, length=7)
        print(f"{scene:>16}: {' '.join(map(str, ids[0].tolist()))}")


if __name__ == "__main__":
    main()
