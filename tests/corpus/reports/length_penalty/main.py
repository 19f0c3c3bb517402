import torch
from processors import LogitsProcessors
from torch import nn


def main():
    torch.manual_seed(0)
    embed, head = nn.Embedding(20, 12), nn.Linear(12, 20)
    process = torch.compile(LogitsProcessors(eos=2, min_len=5, start=6, factor=1.08))
    ids = torch.tensor([[1, 7, 9]])
    with torch.no_grad():
        while ids.shape[1] < 17:
            logits = head(embed(ids).mean(1))
            scores = process(logits, ids[:, -1:], cur_len=ids.shape[1])
            ids = torch.cat([ids, scores.argmax(-1, keepdim=True)], 1)
    print("ids", ids[0].tolist())
    print("FINAL", round(scores.sum().item(), 4))


if __name__ == "__main__":
    main()
