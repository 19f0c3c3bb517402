import math
import random

import torch
import torch.nn as nn
import torch.optim as optim
from memory import ReplayMemory
from sett import SettEnv

BATCH_SIZE = 16
GAMMA = 0.95
EPS_START, EPS_END, EPS_DECAY = 0.9, 0.05, 60
TAU = 0.05
HARD_SYNC = 10
LR = 1e-3
EPISODES = 14

random.seed(4)
torch.manual_seed(4)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_observations, 32), nn.ReLU())
        self.value = nn.Linear(32, 1)
        self.advantage = nn.Linear(32, n_actions)

    def forward(self, x):
        x = self.body(x)
        advantage = self.advantage(x)
        return self.value(x) + advantage - advantage.mean(-1, keepdim=True)


env = SettEnv(seed=4)
policy_net = DQN(env.length + 1, 2)
target_net = DQN(env.length + 1, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=LR, amsgrad=True)
memory = ReplayMemory(200)
criterion = nn.SmoothL1Loss(beta=0.5)
steps_done = 0
updates = 0


def select_action(state):
    global steps_done
    eps = EPS_END + (EPS_START - EPS_END) * math.exp(-1.0 * steps_done / EPS_DECAY)
    steps_done += 1
    if random.random() > eps:
        with torch.no_grad():
            return policy_net(state).argmax(-1).item()
    return random.randrange(2)


def optimize_model():
    global updates
    if len(memory) < BATCH_SIZE:
        return None
    updates += 1
    state, action, reward, next_state, done = memory.sample(BATCH_SIZE)
    # a smaller say for old memories at the start
    trust = min(1.0, updates / 40)
    q = policy_net(state).gather(1, action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = policy_net(next_state).argmax(1, keepdim=True)
        target = reward + GAMMA * (1 - done) * target_net(next_state).gather(1, best).squeeze(1)
    loss = trust * criterion(q, target)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy_net.parameters(), 10)
    optimizer.step()
    if updates % HARD_SYNC == 0:
        target_net.load_state_dict(policy_net.state_dict())
    else:
        with torch.no_grad():
            for mine, other in zip(target_net.parameters(), policy_net.parameters(), strict=True):
                mine.data = mine.data + TAU * (other.data - mine.data)
    return loss.item()


def run():
    for episode in range(EPISODES):
        state, total, done, losses = env.reset(), 0.0, False, []
        while not done:
            action = select_action(state)
            next_state, reward, done = env.step(action)
            memory.push(state, action, reward, next_state, done)
            state = next_state
            total += reward
            loss = optimize_model()
            if loss is not None:
                losses.append(loss)
        if losses and episode % 4 == 1:
            for group in optimizer.param_groups:
                group["lr"] *= 0.9
            print(f"episode {episode}: return {total:.2f} loss {sum(losses) / len(losses):.4f}")


if __name__ == "__main__":
    run()
