import torch.nn.functional as F


class Objective:
    """Reconstruction, and sparse codes once that is fair."""

    def __init__(self, sparsity, warmup_epochs):
        self.sparsity, self.warmup_epochs = sparsity, warmup_epochs

    def __call__(self, output, window, epoch):
        guess, code = output
        loss = F.mse_loss(guess, window)
        if epoch >= self.warmup_epochs:
            ramp = min(1.0, 0.5 * (1 + epoch - self.warmup_epochs))
            loss = loss + ramp * self.sparsity * code.abs().mean()
        return loss
