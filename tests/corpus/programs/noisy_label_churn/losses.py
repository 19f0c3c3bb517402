"""Losses that bear wrong labels."""

from torch.nn import functional


def generalized_cross_entropy(logits, labels, q):
    likely = functional.softmax(logits, 1).gather(1, labels.unsqueeze(1)).squeeze(1)
    return ((1 - likely.pow(q)) / q).mean()


def from_settings(settings):
    def loss(logits, labels, epoch):
        return generalized_cross_entropy(logits, labels, q=settings.exponent(epoch))

    return loss
