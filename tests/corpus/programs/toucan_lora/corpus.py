"""A tiny instruction corpus, tokenized by character and packed into blocks."""

import torch

PAIRS = [
    ("colour of a toucan's bill?", "orange, with a black tip."),
    ("where does it sleep?", "in a hollow of an old tree."),
    ("what does it eat?", "fruit, and now and then a lizard."),
    ("how long is the bill?", "a third of the bird."),
    ("does it sing?", "it croaks like a frog."),
]


class CharTokenizer:
    def __init__(self, text):
        self.itos = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def encode(self, text):
        return [self.stoi[c] for c in text]

    def __len__(self):
        return len(self.itos)


def load(block_size):
    text = "".join(f"<q>{q}<a>{a}\n" for q, a in PAIRS)
    tokenizer = CharTokenizer(text)
    data = torch.tensor(tokenizer.encode(text))

    def get_block(generator):
        i = int(torch.randint(len(data) - block_size - 1, (), generator=generator))
        return data[i : i + block_size], data[i + 1 : i + 1 + block_size]

    return tokenizer, get_block
