import torch
from agent import Agent
from memory import FrameHistory
from table import Table


def play(agent, table, history):
    table.reset()
    history.reset(table.observe())
    logps, rewards = [], []
    while len(rewards) < 7:
        legal = table.legal()
        if not legal:
            break
        tile, logp = agent.act(history.view(), legal)
        logps.append(logp)
        rewards.append(table.lay(tile))
        history.push(table.observe())
    return logps, rewards


if __name__ == "__main__":
    torch.manual_seed(77)
    agent, table, history = Agent(), Table(seed=77), FrameHistory(depth=4)
    for game in range(agent.games):
        tau = agent.temperature
        logps, rewards = play(agent, table, history)
        loss = agent.learn(logps, rewards)
        print(f"game {game} tau {tau:.2f} points {sum(rewards)} in {len(rewards)} loss {loss:.3f}")
