"""Which part of the model learns when."""

from operator import attrgetter

from transformers import TrainerCallback


def part(model, named):
    return attrgetter(named)(model)


class ThawEmbeddings(TrainerCallback):
    def __init__(self, named, since):
        self.named, self.since = named, since

    def on_epoch_begin(self, args, state, control, model=None, **kwargs):
        for parameter in part(model, self.named).parameters():
            parameter.requires_grad_(int(state.epoch or 0) >= self.since)
