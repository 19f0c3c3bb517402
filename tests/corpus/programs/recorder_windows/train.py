"""Trains a pitch tracker window by window, with one update for each batch of recordings."""

import torch
from network import PitchTracker
from recordings import Recordings
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model, data, lr=3e-3, clip=1.0):
        self.model, self.data, self.clip = model, data, clip
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=lr)

    def fit_recordings(self, batch):
        state = self.model.initial(len(batch[0]))
        running_loss = 0.0
        for frames, pitches in self.data.cut(batch):
            logits, state = self.model(frames, state)
            loss = self.criterion(logits.flatten(0, 1), pitches.flatten())
            loss.backward(retain_graph=True)
            running_loss += loss.item()
        nn.utils.clip_grad_value_(self.model.parameters(), self.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return running_loss

    def fit(self, epochs, batch_size=4):
        loader = DataLoader(self.data, batch_size=batch_size, shuffle=True)
        for epoch in range(epochs):
            losses = [self.fit_recordings(batch) for batch in loader]
            print(f"epoch {epoch + 1}/{epochs}: {sum(losses) / len(losses):.3f}")


def main():
    torch.manual_seed(11)
    trainer = Trainer(PitchTracker(), Recordings())
    with compiled_autograd._enable(torch.compile(backend="eager")):
        trainer.fit(epochs=2)


if __name__ == "__main__":
    main()
