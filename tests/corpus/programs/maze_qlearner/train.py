"""Learn to leave the maze."""

import random

import torch
from dqn import DQN, Demonstrations, ReplayBuffer
from maze import Maze


def epsilon(step, start=1.0, end=0.1, steps=100):
    return max(end, start - (start - end) * step / steps)


def main(total=100, batch_size=16, learning_starts=40, train_every=4):
    random.seed(0)
    torch.manual_seed(0)
    env, buffer, agent = Maze(), ReplayBuffer(), DQN()
    guide = Demonstrations(env)
    td_loss = torch.compile(agent.td_loss, backend="eager")
    optimizer = torch.optim.Adam(agent.online.parameters(), lr=1e-3)
    obs, updates = env.reset(), 0
    for step in range(total):
        if random.random() < epsilon(step):
            action = random.randrange(4)
        else:
            with torch.no_grad():
                action = int(agent.online(obs).argmax())
        following, reward, done = env.step(action)
        buffer.push(obs, action, reward, following, done)
        obs = env.reset() if done else following
        if step >= learning_starts and step % train_every == 0:
            source = guide if random.random() < 0.25 else buffer
            loss = td_loss(source.sample(batch_size), updates)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            updates += 1
            if updates % 5 == 0:
                agent.sync()
                print(f"step {step}: loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
