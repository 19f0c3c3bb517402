"""Two-phase fine-tuning: the head first, then everything."""

import torch.nn as nn


def set_requires_grad(module, flag):
    for p in module.parameters():
        p.requires_grad = flag


def set_bn_eval(module):
    for m in module.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.eval()


class FineTuner:
    """Call at_epoch() at the start of each epoch."""

    def __init__(self, model, unfreeze_at=1):
        self.model = model
        self.unfreeze_at = unfreeze_at

    def at_epoch(self, epoch):
        self.model.train()
        if epoch < self.unfreeze_at:
            set_requires_grad(self.model.backbone, False)
            set_bn_eval(self.model.backbone)
        else:
            set_requires_grad(self.model.backbone, True)
