"""Phone tagging of cockpit voice recordings.

Recipe: prepare → sort by duration → TDNN with a frame-wise loss on given alignments.
"""

import functools
import logging
import sys

import torch
from brain import Brain
from dataio import BucketLoader, filtered_sorted
from prepare import N_MELS, PHONES, prepare_cockpit
from tdnn import PhoneTagger
from torch._dynamo import compiled_autograd

HPARAMS = {
    "seed": 1986,
    "number_of_epochs": 3,
    "batch_size": 6,
    "n_train": 30,
    "n_valid": 12,
    "lr": 4e-3,
    "noise_std": 0.1,
    "max_grad_norm": 5.0,
    "max_duration": None,
    "channels": 24,
    "dilations": (1, 2),
    "compile_backend": "eager",
    "compile_using_dynamic_shape_tracing": False,
}


def dataio_prepare(hparams):
    splits = prepare_cockpit(hparams["n_train"], hparams["n_valid"], hparams["seed"])
    return {
        name: BucketLoader(
            filtered_sorted(manifest, key_max_value=hparams["max_duration"]),
            hparams["batch_size"],
            shuffle=name == "train",
            seed=hparams["seed"],
        )
        for name, manifest in splits.items()
    }


def main(hparams):
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
    torch.manual_seed(hparams["seed"])
    datasets = dataio_prepare(hparams)
    tagger = PhoneTagger(N_MELS, hparams["channels"], len(PHONES), hparams["dilations"])
    brain = Brain(
        modules=torch.nn.ModuleDict({"tagger": tagger}),
        opt_class=functools.partial(torch.optim.Adam, lr=hparams["lr"]),
        hparams=hparams,
    )
    compiler = torch.compile(
        backend=hparams["compile_backend"],
        dynamic=hparams["compile_using_dynamic_shape_tracing"],
    )
    with compiled_autograd._enable(compiler):
        brain.fit(range(1, hparams["number_of_epochs"] + 1), datasets["train"], datasets["valid"])


if __name__ == "__main__":
    main(HPARAMS)
