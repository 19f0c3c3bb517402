"""Trains the tagger with Transformers' Trainer."""

import tempfile

import torch
from growth import GrowingWindow
from tagger import Options, Tagger
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed


class Catalogue(Dataset):
    """The tag of a word is told by a word two places before it."""

    def __init__(self, count=48, length=12):
        self.words = torch.randint(60, (count, length))
        self.tags = self.words.roll(2, dims=1) % 5

    def __len__(self):
        return len(self.words)

    def __getitem__(self, number):
        return {"input_ids": self.words[number], "labels": self.tags[number]}


def main():
    set_seed(0)
    options = Options()
    with tempfile.TemporaryDirectory() as output:
        arguments = TrainingArguments(
            output,
            per_device_train_batch_size=8,
            num_train_epochs=2,
            learning_rate=5e-3,
            torch_compile=True,
            torch_compile_backend="eager",
            use_cpu=True,
            report_to="none",
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
        )
        trainer = Trainer(
            model=Tagger(options),
            args=arguments,
            train_dataset=Catalogue(),
            callbacks=[GrowingWindow(options)],
        )
        trainer.train()


if __name__ == "__main__":
    main()
