"""Finetuning a model for sequence classification on tickets of a help desk."""

import argparse
import logging

import torch
from data import DataCollatorWithPadding, Tokenizer, tickets
from modeling import TriageConfig, TriageForSequenceClassification
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader

logger = logging.getLogger(__name__)


def parse_args():
    parser = argparse.ArgumentParser(description="Finetune on a text classification task")
    parser.add_argument("--per_device_train_batch_size", type=int, default=8)
    parser.add_argument("--learning_rate", type=float, default=1e-3)
    parser.add_argument("--num_train_epochs", type=int, default=2)
    parser.add_argument("--num_warmup_steps", type=int, default=3)
    parser.add_argument("--max_length", type=int, default=32)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def main():
    args = parse_args()
    logging.basicConfig(format="%(levelname)s - %(message)s", level=logging.WARNING)
    torch.manual_seed(args.seed)

    tokenizer = Tokenizer(args.max_length)
    data_collator = DataCollatorWithPadding(tokenizer, max_length=args.max_length)
    train_dataloader = DataLoader(
        tickets(48, seed=1),
        batch_size=args.per_device_train_batch_size,
        collate_fn=data_collator,
        drop_last=True,
    )
    eval_dataloader = DataLoader(
        tickets(24, seed=2),
        batch_size=args.per_device_train_batch_size,
        collate_fn=data_collator,
    )

    model = TriageForSequenceClassification(TriageConfig())
    no_decay = ["bias", "LayerNorm.weight"]
    grouped = [
        {
            "params": [p for n, p in model.named_parameters() if not n.endswith(tuple(no_decay))],
            "weight_decay": 0.01,
        },
        {
            "params": [p for n, p in model.named_parameters() if n.endswith(tuple(no_decay))],
            "weight_decay": 0.0,
        },
    ]
    optimizer = torch.optim.AdamW(grouped, lr=args.learning_rate)
    total = args.num_train_epochs * len(train_dataloader)
    warmup = args.num_warmup_steps
    lr_scheduler = LambdaLR(
        optimizer,
        lambda step: step / warmup if step < warmup else (total - step) / (total - warmup),
    )
    model = torch.compile(model, backend="eager")

    logger.info("***** Running training *****")
    for epoch in range(args.num_train_epochs):
        model.train()
        total_loss = 0.0
        for batch in train_dataloader:
            outputs = model(**batch)
            loss = outputs.loss
            total_loss += loss.detach().float()
            loss.backward()
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()

        model.eval()
        correct = seen = 0
        for batch in eval_dataloader:
            with torch.no_grad():
                outputs = model(**batch)
            predictions = outputs.logits.argmax(dim=-1)
            correct += (predictions == batch["labels"]).sum().item()
            seen += len(predictions)
        mean = total_loss.item() / len(train_dataloader)
        print(f"epoch {epoch}: train_loss {mean:.4f} accuracy {correct / seen:.3f}")


if __name__ == "__main__":
    main()
