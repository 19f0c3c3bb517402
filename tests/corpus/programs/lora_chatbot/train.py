"""Fine-tune a chat model with LoRA and gradient accumulation."""

import torch
import torch.nn.functional as F
from chats import IGNORE, get_loader
from lora import inject, lora_state_dict, mark_only_lora_as_trainable
from model import ChatModel
from torch._dynamo import compiled_autograd

GRAD_ACCUM = 2
EPOCHS = 2


def main():
    torch.manual_seed(0)
    model = inject(ChatModel(), r=4, alpha=8)
    trainable = mark_only_lora_as_trainable(model)
    optimizer = torch.optim.AdamW(trainable, lr=1e-3, weight_decay=0.0)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
    for p in trainable:
        p.grad = torch.zeros_like(p)

    loader = get_loader()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(EPOCHS):
            for step, (tokens, labels) in enumerate(loader, 1):
                logits = model(tokens)[:, :-1]
                loss = F.cross_entropy(
                    logits.flatten(0, 1), labels[:, 1:].flatten(), ignore_index=IGNORE
                )
                (loss / GRAD_ACCUM).backward()
                if step % GRAD_ACCUM == 0:
                    torch.nn.utils.clip_grad_norm_(trainable, 1.0)
                    optimizer.step()
                    scheduler.step()
                    optimizer.zero_grad(set_to_none=False)
            print(f"epoch {epoch}: loss {loss.item():.3f} lr {scheduler.get_last_lr()[0]:.2e}")
    print(len(lora_state_dict(model)), "tensors of adapters")


if __name__ == "__main__":
    main()
