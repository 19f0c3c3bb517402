"""Score completions of different length; the length is marked dynamic from the first batch on."""
import torch
import torch.nn as nn


class Scorer(nn.Module):
    def __init__(self, words=40, width=12):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.score = nn.Linear(width, words)

    def forward(self, ids):
        logits = self.score(self.embed(ids[:, :-1]))
        return logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1).sum(-1)


def main():
    torch.manual_seed(38)
    net = Scorer()
    model = torch.compile(net, backend="eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for length in (12, 20, 9, 31, 17):
        ids = torch.randint(40, (6, length))
        torch._dynamo.mark_dynamic(ids, 1)
        loss = -model(ids).mean() / length
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
