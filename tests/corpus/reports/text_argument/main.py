"""A little sentiment service: text in, score out."""
import torch
import torch.nn as nn

WORDS = {w: i + 1 for i, w in enumerate("a the film was good bad fine dull long and but very not".split())}


class Sentiment(nn.Module):
    def __init__(self, width=8, length=8):
        super().__init__()
        self.length = length
        self.embed = nn.Embedding(len(WORDS) + 1, width)
        self.score = nn.Linear(width, 1)

    def tokens(self, text):
        ids = [WORDS.get(w, 0) for w in text.lower().split()][: self.length]
        return torch.tensor(ids + [0] * (self.length - len(ids)))

    def forward(self, ids):
        return self.score(self.embed(ids).mean(0)).sigmoid()


class Service:
    def __init__(self, model):
        self.model = model
        self.predict = torch.compile(self._predict, backend="eager", dynamic=True)

    def _predict(self, text):
        return self.model(self.model.tokens(text))


REQUESTS = ["the film was good", "the film was very long", "dull and long but not bad", "very fine",
            "a bad film", "not good", "good film and not long"]


@torch.no_grad()
def main():
    torch.manual_seed(9)
    service = Service(Sentiment().eval())
    scores = [service.predict(text).item() for text in REQUESTS]
    print(f"FINAL {sum(scores):.5f}")


if __name__ == "__main__":
    main()
