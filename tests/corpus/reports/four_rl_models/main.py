import torch
from models import TinyLM
from ppo import PPO


def main():
    torch.manual_seed(0)
    policy, value = TinyLM(30, 16, out=30), TinyLM(30, 16, out=1)
    reference, reward = TinyLM(30, 16, out=30), TinyLM(30, 16, out=1)
    reference.load_state_dict(policy.state_dict())
    for frozen in (reference, reward):
        frozen.eval().requires_grad_(False)
    for m in (policy, value, reference, reward):
        m.compile(backend="aot_eager", dynamic=False)
    ppo = PPO(policy, value, reference, reward)
    g = torch.Generator().manual_seed(0)
    for it, new_tokens in enumerate([6, 8, 5, 7]):
        prompt = torch.randint(1, 30, (2, 4), generator=g)
        response = torch.randint(1, 30, (2, new_tokens), generator=g)
        loss = ppo.step(torch.cat([prompt, response], 1), prompt_len=4)
        print(f"iteration {it} response {new_tokens} tokens, loss {loss:.5f}")
    print("FINAL", round(loss, 5))


if __name__ == "__main__":
    main()
