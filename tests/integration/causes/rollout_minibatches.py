"""PPO: minibatches are slices of a shuffled rollout; the last slice is short."""

# finds CA101 /multiple|minibatch|slice/
# finds CA206 /clamp|tensor/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
ROLLOUT, MINIBATCH = 22, 8


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters())
for iteration in range(3):
    clip = 0.2 * (1 - iteration / 10)
    states, old = torch.randn(ROLLOUT, 4), torch.randn(ROLLOUT)
    actions, advantage = torch.randint(0, 2, (ROLLOUT,)), torch.randn(ROLLOUT)
    order = torch.randperm(ROLLOUT)
    for start in range(0, ROLLOUT, MINIBATCH):
        rows = order[start : start + MINIBATCH]  # <- CA101
        logits = policy(states[rows])
        picked = logits.log_softmax(-1).gather(1, actions[rows, None]).squeeze(1)
        ratio = (picked - old[rows]).exp()
        limited = ratio.clamp(1 - clip, 1 + clip)  # <- CA206
        loss = -torch.min(ratio * advantage[rows], limited * advantage[rows]).mean()
        optimizer.zero_grad()
        backward(loss)
        optimizer.step()
