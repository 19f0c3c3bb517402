"""Finetuning a small model for sequence classification on disputes."""

import argparse
import logging
import math

import torch
from modeling import TinyBertForSequenceClassification
from processing import default_data_collator, get_datasets
from torch.utils.data import DataLoader

logger = logging.getLogger(__name__)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per_device_train_batch_size", type=int, default=4)
    parser.add_argument("--per_device_eval_batch_size", type=int, default=4)
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    parser.add_argument("--weight_decay", type=float, default=0.01)
    parser.add_argument("--num_train_epochs", type=int, default=2)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=2)
    parser.add_argument("--num_warmup_steps", type=int, default=3)
    parser.add_argument("--seed", type=int, default=29)
    return parser.parse_args()


def main():
    args = parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s - %(message)s")
    torch.manual_seed(args.seed)
    train_dataset, eval_dataset = get_datasets(args.seed, 64)
    train_dataloader = DataLoader(
        train_dataset,
        collate_fn=default_data_collator,
        batch_size=args.per_device_train_batch_size,
    )
    eval_dataloader = DataLoader(
        eval_dataset,
        collate_fn=default_data_collator,
        batch_size=args.per_device_eval_batch_size,
    )
    model = TinyBertForSequenceClassification()
    no_decay = ["bias", "norm.weight"]
    grouped = [
        {
            "params": [p for n, p in model.named_parameters() if not any(d in n for d in no_decay)],
            "weight_decay": args.weight_decay,
        },
        {
            "params": [p for n, p in model.named_parameters() if any(d in n for d in no_decay)],
            "weight_decay": 0.0,
        },
    ]
    optimizer = torch.optim.AdamW(grouped, lr=args.learning_rate)
    steps = math.ceil(len(train_dataloader) / args.gradient_accumulation_steps)
    total = args.num_train_epochs * steps
    lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / args.num_warmup_steps, (total - step) / total)
    )
    model = torch.compile(model, backend="aot_eager")

    for epoch in range(args.num_train_epochs):
        model.train()
        total_loss = 0
        for step, batch in enumerate(train_dataloader):
            outputs = model(**batch)
            loss = outputs.loss / args.gradient_accumulation_steps
            loss.backward()
            total_loss += outputs.loss.detach().float()
            if step % args.gradient_accumulation_steps == 0 or step == len(train_dataloader) - 1:
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
        logger.info(f"epoch {epoch}: accuracy {correct / seen:.3f}, train loss {mean:.3f}")


if __name__ == "__main__":
    main()
