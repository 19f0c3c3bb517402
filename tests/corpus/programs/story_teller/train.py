"""Trains a story model and lets it write at two temperatures."""

import torch
from lm import StoryModel
from sampling import generate
from torch.nn import functional

OPTIONS = {
    "train": {"steps": 6, "batch": 4, "length": 8, "lr": 3e-3},
    "write": {"stories": 4, "length": 15, "temperatures": (0.7, 1.3)},
    "compile": {"backend": "eager", "dynamic": False},
}


def train(model, steps, batch, length, lr):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        story = torch.arange(length + 1) + torch.randint(0, 20, (batch, 1))
        logits = model(story[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), story[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(options):
    torch.manual_seed(0)
    model = torch.compile(StoryModel(), **options["compile"])
    train(model, **options["train"])
    prompts = torch.randint(0, 20, (options["write"]["stories"], 8))
    for temperature in options["write"]["temperatures"]:
        stories = generate(model, prompts, options["write"]["length"], temperature)
        print(temperature, stories[0].tolist())


if __name__ == "__main__":
    main(OPTIONS)
