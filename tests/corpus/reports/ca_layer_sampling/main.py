import torch
from model import Stack
from sampling import LayerSampler


def main():
    torch.manual_seed(0)
    model = Stack(vocab=12, dim=8, out=3, layers=3)
    sampler = LayerSampler(model, order=[2, 0, 1, 2])
    opt = torch.optim.SGD(model.parameters(), lr=0.3)
    g = torch.Generator().manual_seed(0)
    targets = torch.randn(12, 3, generator=g)
    for step in range(4):
        layer = sampler.switch(step)
        tokens = torch.randint(0, 12, (24,), generator=g)
        loss = (model(tokens) - targets[tokens]).pow(2).mean()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        sampler.before_step()
        opt.step()
        opt.zero_grad()
        print(f"step {step} layer {layer} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
