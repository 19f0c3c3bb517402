"""Trains one recognizer for all languages."""

from collections import defaultdict

import torch
from languages import LANGUAGES, LanguageSampler
from recognizer import Recognizer
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = Recognizer(len(LANGUAGES))
    recognize = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    losses = defaultdict(list)
    for frames, language, words in LanguageSampler([90, 40, 25, 10, 5]).batches(24):
        loss = functional.cross_entropy(recognize(frames, language), words)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses[LANGUAGES[language]].append(loss.item())
    for language, values in losses.items():
        print(language, f"{sum(values) / len(values):.3f}")


if __name__ == "__main__":
    main()
