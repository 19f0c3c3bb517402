"""Recipe for training a siren detector.

> python train.py
"""

import functools
import logging
import sys

import torch
from core import Brain, Stage
from features import Fbank, InputNormalization
from recordings import Recordings, add_reverb

logger = logging.getLogger(__name__)

HPARAMS = {"seed": 1986, "epochs": 3, "batch_size": 8, "lr": 4e-3, "bands": 12, "hidden": 16}


class SirenBrain(Brain):
    def compute_forward(self, wavs, stage):
        feats = self.modules.normalize(self.modules.fbank(wavs))
        if stage == Stage.TRAIN:
            feats = feats + 0.05 * torch.randn_like(feats)
        hidden = self.modules.encoder(feats.transpose(1, 2)).amax(-1)
        logits = self.modules.output(hidden).squeeze(-1)
        if stage == Stage.TEST:
            return logits.sigmoid(), hidden
        return logits, hidden

    def compute_objectives(self, predictions, targets, stage):
        scores, _ = predictions
        if stage == Stage.TEST:
            return torch.nn.functional.binary_cross_entropy(scores, targets)
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, targets)

    def on_stage_end(self, stage, stage_loss, epoch=None):
        logger.info("%s %s: %.3f", stage.name, "-" if epoch is None else epoch, stage_loss)


def main(hparams):
    torch.manual_seed(hparams["seed"])
    bands, hidden = hparams["bands"], hparams["hidden"]
    modules = {
        "fbank": Fbank(bands=bands),
        "normalize": InputNormalization(bands),
        "encoder": torch.nn.Sequential(
            torch.nn.Conv1d(bands, hidden, 3), torch.nn.ReLU(), torch.nn.Conv1d(hidden, hidden, 3)
        ),
        "output": torch.nn.Linear(hidden, 1),
    }
    brain = SirenBrain(
        modules,
        opt_class=functools.partial(torch.optim.Adam, lr=hparams["lr"]),
        hparams=hparams,
        run_opts={"backend": "aot_eager"},
    )
    size = hparams["batch_size"]
    train_set = Recordings(8, size, seed=0, augment=add_reverb)
    brain.fit(range(hparams["epochs"]), train_set, Recordings(3, size, seed=1))
    brain.evaluate(Recordings(3, size, seed=2))


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
    main(HPARAMS)
