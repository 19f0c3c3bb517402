import torch
from datamanager import DataManager
from field import Field


def main():
    torch.manual_seed(0)
    data = DataManager(images=6, size=8, rays=32)
    field = Field(dim=16)
    opt = torch.optim.Adam(field.parameters(), lr=0.01)
    for step in range(6):
        rays, rgb = data.next_train()
        loss = (field(rays) - rgb).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
