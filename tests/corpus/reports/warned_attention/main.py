import warnings

import torch
from sink_model import SinkModel


def main():
    warnings.filterwarnings("ignore", category=FutureWarning)
    torch.manual_seed(0)
    model = SinkModel(vocab=16, dim=12, layers=3)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    fast = torch.compile(model, backend="aot_eager")
    g = torch.Generator().manual_seed(9)
    for step in range(4):
        ids = torch.randint(0, 16, (2, 9), generator=g)
        loss = torch.nn.functional.cross_entropy(fast(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
