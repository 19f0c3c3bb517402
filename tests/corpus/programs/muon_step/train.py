import time
from dataclasses import dataclass

import torch
from mixer import Mixer
from muon import Muon

# -----------------------------------------------------------------------------
# int main


@dataclass
class Hyperparameters:
    seq_len = 24
    batch_size = 8
    num_iterations = 12  # number of iterations to run
    cooldown_frac = 0.4  # fraction of training spent cooling down the learning rate
    momentum_warmup = 3  # steps until the momentum is all there
    vocab_size = 32
    val_loss_every = 6


args = Hyperparameters()
torch.manual_seed(29)


def data_generator(batch_size, seq_len):
    """Sums of the last two symbols, with a few slips."""
    while True:
        rows = [torch.randint(args.vocab_size, (batch_size,)) for _ in range(2)]
        while len(rows) <= seq_len:
            slip = (torch.rand(batch_size) < 0.05).long()
            rows.append((rows[-1] + rows[-2] + slip) % args.vocab_size)
        tokens = torch.stack(rows, dim=1)
        yield tokens[:, :-1], tokens[:, 1:]


model = Mixer(vocab_size=args.vocab_size, num_layers=2, model_dim=24)

# collect the parameters to optimize
hidden_matrix_params = [p for p in model.blocks.parameters() if p.ndim >= 2]
scalar_params = [p for p in model.parameters() if p.ndim < 2]
head_params = [model.lm_head.weight, model.embed.weight]

# init the optimizer(s)
adam_params = [{"params": head_params, "lr": 0.02}, {"params": scalar_params, "lr": 0.01}]
optimizer1 = torch.optim.Adam(adam_params, betas=(0.8, 0.95), eps=1e-10)
optimizer2 = Muon(hidden_matrix_params, lr=0.05, momentum=0.95)
optimizers = [optimizer1, optimizer2]
for opt in optimizers:
    for group in opt.param_groups:
        group["initial_lr"] = group["lr"]


# learning rate schedule: stable then decay
def get_lr(step):
    x = step / args.num_iterations
    if x < 1 - args.cooldown_frac:
        return 1.0
    w = (1 - x) / args.cooldown_frac
    return w * 1.0 + (1 - w) * 0.1


def get_momentum(step):
    frac = min(step / args.momentum_warmup, 1)
    return (1 - frac) * 0.85 + frac * 0.95


model = torch.compile(model, backend="aot_eager", dynamic=False)
train_loader = data_generator(args.batch_size, args.seq_len)
training_time_ms = 0
t0 = time.perf_counter()
for step in range(args.num_iterations + 1):
    last_step = step == args.num_iterations
    # --------------- VALIDATION SECTION -----------------
    if last_step or step % args.val_loss_every == 0:
        training_time_ms += 1000 * (time.perf_counter() - t0)
        with torch.no_grad():
            val_loss = sum(model(*next(train_loader)) for _ in range(2)) / 2
        print(f"step:{step}/{args.num_iterations} val_loss:{val_loss:.4f}")
        t0 = time.perf_counter()
    if last_step:
        break
    # --------------- TRAINING SECTION -----------------
    model(*next(train_loader)).backward()
    # set optimization hyperparameters
    scale = get_lr(step)
    for opt in optimizers:
        for group in opt.param_groups:
            group["lr"] = group["initial_lr"] * scale
    momentum = get_momentum(step)
    for group in optimizer2.param_groups:
        group["momentum"] = momentum
    # step the optimizers
    for opt in optimizers:
        opt.step()
    # null the gradients
    model.zero_grad(set_to_none=True)
