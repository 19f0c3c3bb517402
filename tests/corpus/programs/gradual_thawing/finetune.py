"""Fine-tuning from the top of the network downwards."""

import torch


class Thaw:
    """Frees one more layer of the encoder, from the last to the first, before each epoch."""

    def __init__(self, model):
        self.stages = [*reversed(model.encoder.layers), model.encoder.embed]
        model.encoder.requires_grad_(False)

    def __call__(self, epoch):
        for stage in self.stages[:epoch]:
            stage.requires_grad_(True)


def discriminative_groups(model, lr, decay=2.6):
    groups = [{"params": model.head.parameters(), "lr": lr}]
    for depth, layer in enumerate(reversed(model.encoder.layers), start=1):
        groups.append({"params": layer.parameters(), "lr": lr / decay**depth})
    lowest = lr / decay ** len(groups)
    return [*groups, {"params": model.encoder.embed.parameters(), "lr": lowest}]


def make_optimizer(model, lr):
    return torch.optim.AdamW(discriminative_groups(model, lr), weight_decay=0.01)
