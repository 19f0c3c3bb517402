import torch
from graph import crystal
from m3gnet import M3GNet


def main():
    torch.manual_seed(0)
    model = M3GNet(hidden=16)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    compiled = torch.compile(model, backend="aot_eager")
    for step in range(6):
        batch = crystal(num_atoms=5 + step, seed=step)
        loss = (compiled(batch) - batch["energy"]).pow(2)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step}: {batch['z'].shape[0]} atoms, {batch['src'].shape[0]} bonds, loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
