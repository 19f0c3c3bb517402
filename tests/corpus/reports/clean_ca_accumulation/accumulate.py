import torch


def backward(loss):
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        loss.backward()


def micro_batches(step, accum):
    g = torch.Generator().manual_seed(step)
    for _ in range(accum):
        x = torch.randn(16, 8, generator=g)
        yield x, x.sum(1, keepdim=True).tanh(), accum


def train_step(model, opt, batches):
    total = 0.0
    for x, y, accum in batches:
        loss = (model(x) - y).pow(2).mean() / accum
        backward(loss)
        total += loss.item()
    opt.step()
    opt.zero_grad(set_to_none=True)
    return total
