"""Fine-tunes a small DistilBERT on reviews of one length."""

import tempfile

import torch
from callbacks import ThawEmbeddings
from smoothing import SmoothedTrainer
from torch.utils.data import Dataset
from transformers import DistilBertConfig, DistilBertForSequenceClassification, TrainingArguments


class Reviews(Dataset):
    def __init__(self, count, words=12, vocabulary=60):
        generator = torch.Generator().manual_seed(9)
        self.words = torch.randint(1, vocabulary, (count, words), generator=generator)
        self.liked = (self.words > vocabulary / 2).sum(1) > words / 2

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return {"input_ids": self.words[index], "labels": self.liked[index].long()}


def small():
    config = DistilBertConfig(
        vocab_size=60,
        max_position_embeddings=16,
        dim=16,
        hidden_dim=32,
        n_layers=1,
        n_heads=2,
        num_labels=2,
    )
    return DistilBertForSequenceClassification(config)


def main():
    options = TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=6,
        dataloader_drop_last=True,
        num_train_epochs=3,
        learning_rate=2e-3,
        max_grad_norm=1.0,
        use_cpu=True,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        seed=3,
    )
    trainer = SmoothedTrainer(
        small(),
        options,
        train_dataset=Reviews(26),
        callbacks=[ThawEmbeddings("distilbert.embeddings", since=1)],
    )
    trainer.train()


if __name__ == "__main__":
    main()
