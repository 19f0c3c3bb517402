import torch
import torch.nn.functional as F
from data import cycle_segments, enwik_like
from thicket import ThicketXL, exists

# constants

NUM_TOKENS = 48
NUM_EPOCHS = 2
BATCH_SIZE = 4
SEQ_LEN = 16
LEARNING_RATE = 2e-3
PROBE_EVERY = 5
VALIDATE_EVERY = 10

# model, data, optimizer

torch.manual_seed(3)
model = ThicketXL(num_tokens=NUM_TOKENS, depth=2, max_mem_len=40)
step_model = torch.compile(model, backend="eager")
optim = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
train_stream = enwik_like(NUM_TOKENS, 16 * 11 + 1, BATCH_SIZE)
val_stream = enwik_like(NUM_TOKENS, 16 * 3 + 1, BATCH_SIZE, seed=1)


def loss_of(logits, targets):
    return F.cross_entropy(logits.transpose(1, 2), targets)


def validate():
    total, mems = 0.0, None
    with torch.no_grad():
        for segment in cycle_segments(val_stream, SEQ_LEN):
            logits, mems, _ = model(segment[:, :-1], mems=mems)
            total += loss_of(logits, segment[:, 1:]).item()
    return total / 3


# training

step = 0
for _ in range(NUM_EPOCHS):
    mems = None
    for segment in cycle_segments(train_stream, SEQ_LEN):
        probe = step % PROBE_EVERY == 0
        out = step_model(segment[:, :-1], mems=mems, return_attn=probe)
        mems = out.mems

        loss = loss_of(out.logits, segment[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optim.step()
        optim.zero_grad()

        if exists(out.attn):
            print(f"{step}: loss {loss.item():.3f} entropies {out.attn.tolist()}")
        if step % VALIDATE_EVERY == VALIDATE_EVERY - 1:
            print(f"{step}: validation {validate():.3f}")
        step += 1
