"""The recipe, as `hyperparams.yaml` would give it."""

from types import SimpleNamespace

from torch import nn


class CRDNN(nn.Module):
    """Convolution, recurrence left out, dense layers."""

    def __init__(self, n_mels, width):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, width, 3, padding=1)
        self.act = nn.LeakyReLU(0.1)
        self.dense = nn.Linear(width, width)

    def forward(self, feats):
        x = self.act(self.conv(feats.transpose(1, 2)))
        return self.act(self.dense(x.transpose(1, 2)))


def load_hyperpyyaml(overrides=None):
    hparams = {
        "seed": 1234,
        "number_of_epochs": 4,
        "number_of_phone_epochs": 2,
        "phone_weight": 0.4,
        "batch_size": 4,
        "grad_accumulation_factor": 2,
        "lr": 0.01,
        "max_grad_norm": 5.0,
        "n_mels": 10,
        "width": 16,
        "accents": 4,
        "phones": 12,
        "sorting": "ascending",
    }
    hparams.update(overrides or {})
    h = SimpleNamespace(**hparams)
    h.modules = nn.ModuleDict(
        {
            "encoder": CRDNN(h.n_mels, h.width),
            "accent_lin": nn.Linear(h.width, h.accents),
            "phone_lin": nn.Linear(h.width, h.phones),
        }
    )
    return h
