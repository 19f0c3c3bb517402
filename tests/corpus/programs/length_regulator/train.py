"""Trains the synthesizer, an utterance at a time."""

import torch
from speech import Synthesizer
from utterances import corpus


def spectral_loss(predicted, wanted):
    return (predicted - wanted).abs().mean()


def main():
    torch.manual_seed(0)
    model = Synthesizer()
    synthesize = torch.compile(model, backend="eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for phonemes, durations, frames in corpus():
        predicted = synthesize(phonemes, durations)
        loss = spectral_loss(predicted[: len(frames)], frames)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
