import torch
from sim import load_state, reset_some, step


def main():
    torch.manual_seed(0)
    fast = torch.compile(torch.vmap(step), backend="aot_eager")
    state = load_state(batch=4)
    total = 0.0
    for t in range(16):
        state = fast(*state)
        if t % 5 == 4:
            state = reset_some(state, torch.arange(4) % 2 == t % 2)
        q, frame, contacts = state
        total += q.abs().sum().item() + contacts.sum().item()
        print(f"t {t} contacts {contacts.tolist()}")
    print("FINAL", round(total, 3))


if __name__ == "__main__":
    main()
