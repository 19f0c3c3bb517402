import torch
import torch.nn.functional as F


class SiteLoss:
    """Cross entropy at the candidates, where the label is not -1, and a bonus for hard ones."""

    def __init__(self, positive_weight=2.0, hard=0.7):
        self.positive_weight, self.hard = positive_weight, hard

    def __call__(self, logits, labels):
        candidates = labels >= 0
        chosen, target = logits[candidates], labels[candidates].float()
        weight = 1 + (self.positive_weight - 1) * target
        point = F.binary_cross_entropy_with_logits(chosen, target, reduction="none")
        return (weight * point).mean() + self.hard_bonus(logits, labels)

    def hard_bonus(self, logits, labels):
        wrong = (labels == 0) * logits.sigmoid()
        if wrong.max() > self.hard:
            return 0.1 * wrong.square().mean()
        return torch.zeros(())
