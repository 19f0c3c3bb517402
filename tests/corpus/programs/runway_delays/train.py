# %% Delays of departures, chunk by chunk
import torch
from helpers import LossScale, Snapshots, quantile_loss
from recurrent import DelayNet, detach
from schedule_data import chunks
from torch._dynamo import compiled_autograd

BATCH, FLIGHTS, CHUNK = 8, 27, 6
EPOCHS = 3

torch.manual_seed(64)
train_chunks = chunks(BATCH, FLIGHTS, CHUNK, seed=64)
valid_chunks = chunks(BATCH, FLIGHTS, CHUNK, seed=65)

# %%
net = DelayNet()
forward = torch.compile(net, backend="aot_eager")
optimizer = torch.optim.Adam(net.parameters(), lr=8e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * len(train_chunks))
scale, snapshots = LossScale(), Snapshots()


# %%
def train_epoch(epoch):
    net.train()
    state = net.start(BATCH)
    quantile = 0.5 + 0.05 * epoch
    for chunk in train_chunks:
        guess, state = forward(chunk["x"], detach(state))
        loss = quantile_loss(guess, chunk["y"], quantile)
        optimizer.zero_grad()
        scale.backward(loss)
        scale.unscale(net.parameters())
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        scale.update()
    return loss.item()


@torch.no_grad()
def validate():
    net.eval()
    state, errors = net.start(BATCH), []
    for chunk in valid_chunks:
        guess, state = forward(chunk["x"], state)
        errors.append((guess - chunk["y"]).abs().mean())
    return torch.stack(errors).mean().item()


# %%
with compiled_autograd._enable(torch.compile(backend="aot_eager")):
    for epoch in range(EPOCHS):
        train_loss = train_epoch(epoch)
        error = validate()
        snapshots.offer(net, error)
        print(f"{epoch}: {train_loss:.4f} valid {error:.3f} scale {scale.scale:.0f}")
print(f"best {snapshots.best:.3f}")
