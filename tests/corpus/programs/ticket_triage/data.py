"""Tickets, their tokenizer and the collator, in the manner of the big library."""

import random

import torch

PHRASES = [
    "my printer is on fire",
    "the invoice of last month was wrong and nobody answers",
    "please reset the password of our shared mailbox",
    "screen stays black",
    "we would like to cancel two of the seven licences before the renewal in spring",
]


class Tokenizer:
    cls_token_id, sep_token_id, pad_token_id = 1, 2, 0

    def __init__(self, model_max_length=32):
        self.model_max_length = model_max_length

    def _ids(self, text):
        return [3 + sum(map(ord, word)) % 390 for word in text.split()]

    def __call__(self, text, text_pair=None):
        ids = [self.cls_token_id, *self._ids(text), self.sep_token_id]
        encoding = {"input_ids": ids[: self.model_max_length]}
        if text_pair is not None:
            second = [*self._ids(text_pair), self.sep_token_id]
            encoding["token_type_ids"] = [0] * len(ids) + [1] * len(second)
            encoding["input_ids"] = (ids + second)[: self.model_max_length]
            encoding["token_type_ids"] = encoding["token_type_ids"][: self.model_max_length]
        return encoding


def tickets(count, seed):
    rng = random.Random(seed)
    rows = []
    for number in range(count):
        # Replies come in runs, as the export of the help desk has them.
        reply = rng.choice(PHRASES) if number // 8 % 3 == 1 else None
        subject = " ".join([rng.choice(PHRASES)] * rng.randint(1, 2))
        rows.append({"text": subject, "text_pair": reply, "label": rng.randrange(3)})
    return rows


class DataCollatorWithPadding:
    def __init__(self, tokenizer, padding="longest", max_length=32):
        self.tokenizer, self.padding, self.max_length = tokenizer, padding, max_length

    def _pad(self, rows, value):
        length = self.max_length
        if self.padding == "longest":
            length = max(map(len, rows))
        return torch.tensor([row + [value] * (length - len(row)) for row in rows])

    def __call__(self, features):
        encodings = [self.tokenizer(row["text"], row["text_pair"]) for row in features]
        ids = [encoding["input_ids"] for encoding in encodings]
        batch = {
            "input_ids": self._pad(ids, self.tokenizer.pad_token_id),
            "attention_mask": self._pad([[1] * len(row) for row in ids], 0),
        }
        if any("token_type_ids" in encoding for encoding in encodings):
            types = [e.get("token_type_ids", [0] * len(e["input_ids"])) for e in encodings]
            batch["token_type_ids"] = self._pad(types, 0)
        batch["labels"] = torch.tensor([row["label"] for row in features])
        return batch
