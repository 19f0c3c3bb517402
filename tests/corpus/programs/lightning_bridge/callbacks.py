"""What happens around the steps."""

from lightning.pytorch.callbacks import Callback
from torch.nn.modules.batchnorm import _BatchNorm


class FrozenStatistics(Callback):
    """Stops batch norms from following the batches, once they have seen enough of them."""

    def __init__(self, since):
        self.since = since

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        if trainer.current_epoch >= self.since:
            for norm in pl_module.modules():
                if isinstance(norm, _BatchNorm):
                    norm.eval()


class Losses(Callback):
    def __init__(self):
        self.all = []

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.all.append(outputs["loss"].item())
