"""Direct preference optimization of adapters: the reference is the model without them."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from lora import disable_adapter, get_peft_model, print_trainable_parameters
from policy import Policy, logps


@dataclass
class DPOConfig:
    beta: float = 0.1
    learning_rate: float = 5e-3
    max_steps: int = 8
    per_device_train_batch_size: int = 4
    max_length: int = 16
    logging_steps: int = 4
    seed: int = 42


class DPOTrainer:
    def __init__(self, model, args):
        self.model, self.args = model, args
        self.generator = torch.Generator().manual_seed(args.seed)
        trained = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(trained, lr=args.learning_rate)

    def get_batch(self):
        shape = (self.args.per_device_train_batch_size, self.args.max_length)
        chosen = torch.randint(0, 40, shape, generator=self.generator).sort(dim=-1).values
        rejected = torch.randint(0, 40, shape, generator=self.generator)
        return torch.cat([chosen, rejected])

    def compute_ref_log_probs(self, ids):
        with torch.no_grad(), disable_adapter(self.model):
            return logps(self.model(ids), ids)

    def compute_loss(self, ids):
        reference = self.compute_ref_log_probs(ids)
        ratios = logps(self.model(ids), ids) - reference
        chosen, rejected = ratios.chunk(2)
        loss = -F.logsigmoid(self.args.beta * (chosen - rejected)).mean()
        return loss, (chosen > rejected).float().mean()

    def train(self):
        self.model.train()
        for step in range(1, self.args.max_steps + 1):
            loss, accuracy = self.compute_loss(self.get_batch())
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            if step % self.args.logging_steps == 0:
                print({"step": step, "loss": loss.item(), "rewards/accuracies": accuracy.item()})


def main():
    args = DPOConfig()
    torch.manual_seed(args.seed)
    model = get_peft_model(Policy(), r=4, lora_alpha=8)
    print_trainable_parameters(model)
    model.compile_repeated_blocks(backend="eager")
    DPOTrainer(model, args).train()


if __name__ == "__main__":
    main()
