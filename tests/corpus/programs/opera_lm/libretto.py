"""Lines of libretti as characters, cut into blocks."""

import torch

VERSES = (
    "la notte cala sul mare e nessuno risponde; "
    "aprite la porta, conte, che il vento ha cambiato; "
    "ahimè, la lettera era falsa e il duca già parte; "
)


class CharTokenizer:
    def __init__(self, text):
        self.itos = ["<pad>", *sorted(set(text))]
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return torch.tensor([self.stoi[c] for c in text])


class Blocks(torch.utils.data.Dataset):
    def __init__(self, tokenizer, block, repeats=9):
        ids = tokenizer.encode(VERSES * repeats)
        usable = (len(ids) - 1) // block * block
        self.inputs = ids[:usable].view(-1, block)
        self.labels = ids[1 : usable + 1].view(-1, block)

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        return {"input_ids": self.inputs[index], "labels": self.labels[index]}
