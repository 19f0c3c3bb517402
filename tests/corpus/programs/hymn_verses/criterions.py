"""Losses, by the name that the command line gives them."""

from torch import nn

CRITERIA = {}


def register_criterion(name):
    def register(cls):
        CRITERIA[name] = cls
        return cls

    return register


def label_smoothed_nll_loss(lprobs, target, epsilon):
    nll = -lprobs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    smooth = -lprobs.mean(-1)
    return ((1.0 - epsilon) * nll + epsilon * smooth).mean(), nll.mean()


@register_criterion("label_smoothed_cross_entropy")
class LabelSmoothedCrossEntropy(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.full_eps = args.label_smoothing
        self.warmup = args.smoothing_warmup_epochs
        self.eps = 0.0

    def set_epoch(self, epoch):
        self.eps = self.full_eps * min(1.0, epoch / self.warmup)

    def forward(self, model, sample):
        logits = model(sample["source"], sample["previous"])
        return label_smoothed_nll_loss(logits.log_softmax(-1), sample["target"], self.eps)
