"""Train an encoder with switch layers to copy masked tokens."""

import torch
import torch.nn.functional as F
from model import SwitchEncoder
from torch._dynamo import compiled_autograd

MASK = 0


def get_batch(batch_size=8, length=12, vocab=30):
    tokens = torch.randint(1, vocab, (batch_size, length))
    masked = tokens.masked_fill(torch.rand(tokens.shape) < 0.15, MASK)
    return masked, tokens


def main(steps=5, aux_weight=1e-2):
    torch.manual_seed(0)
    model = SwitchEncoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=4)
    with compiled_autograd._enable(torch.compile(backend="eager", dynamic=False)):
        for step in range(steps):
            masked, tokens = get_batch()
            logits, aux_loss = model(masked)
            ce = F.cross_entropy(logits.flatten(0, 1), tokens.flatten())
            loss = ce + aux_weight * aux_loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 5 == 0:
                print(f"step {step} ce {ce.item():.3f} aux {float(aux_loss):.3f}")


if __name__ == "__main__":
    main()
