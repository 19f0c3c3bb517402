"""Yields of fields, from a table."""

import torch
from callbacks import GradientNoise, Precision, Progress, Saliency
from features import make_frame, standardized, to_tensors
from net import TabularResNet
from torch.nn.functional import mse_loss


class Fit:
    def __init__(self, model, callbacks, lr=0.01, batch=16):
        self.model, self.callbacks, self.batch = model, callbacks, batch
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.loss_dtype = torch.float32
        self.watch_inputs = False
        self.losses = []

    def tell(self, event, *details):
        for callback in self.callbacks:
            getattr(callback, event)(self, *details)

    def step(self, numbers, codes, target):
        self.numbers = numbers.requires_grad_(self.watch_inputs)
        guess = self.model(self.numbers, codes)
        loss = mse_loss(guess.to(self.loss_dtype), target.to(self.loss_dtype))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.detach())
        self.tell("on_step_end")

    def run(self, numbers, codes, target, epochs):
        for epoch in range(epochs):
            self.tell("on_epoch_begin", epoch)
            for rows in torch.randperm(len(target)).split(self.batch):
                self.step(numbers[rows], codes[rows], target[rows])
            self.tell("on_epoch_end", epoch)


def main(epochs=4):
    torch.manual_seed(31)
    numbers, codes, target = to_tensors(make_frame(64, seed=1))
    new_numbers, new_codes, new_target = to_tensors(make_frame(24, seed=2))
    saliency = Saliency()
    callbacks = [GradientNoise(), Precision(since=epochs - 1), saliency, Progress()]
    fit = Fit(TabularResNet(), callbacks)
    fit.run(standardized(numbers, numbers), codes, target, epochs)
    with torch.no_grad():
        guess = fit.model(standardized(new_numbers, numbers), new_codes)
    print(f"new fields: {mse_loss(guess, new_target.float()):.3f}")
    print("matter:", [round(value, 3) for value in saliency.matter.tolist()])


if __name__ == "__main__":
    main()
