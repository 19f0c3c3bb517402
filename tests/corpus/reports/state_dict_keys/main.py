import torch
from agent import Agent


def main():
    torch.manual_seed(0)
    agent = Agent(obs_dim=5, n_actions=3)
    state = {"obs": torch.randn(4, 5)}
    ret = 0.0
    for t in range(6):
        state = agent.step(state)
        ret += state["value"].sum().item()
        print(f"t {t} loss {state['loss'].item():.4f} keys {sorted(state)}")
    print("FINAL", round(ret, 5))


if __name__ == "__main__":
    main()
