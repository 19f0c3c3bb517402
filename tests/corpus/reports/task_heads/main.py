import torch
from multitask import MultiTask, task_loss

torch._dynamo.config.compiled_autograd = True


def labelled_tasks(step):
    g = torch.Generator().manual_seed(100 + step)
    return sorted(torch.randperm(5, generator=g)[: 1 + (3 * step) % 5].tolist())


def main():
    torch.manual_seed(0)
    model = MultiTask(dim=12, tasks=5)
    encode = torch.compile(model.encode, backend="aot_eager")
    opt = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend="aot_eager")
    def backward(loss):
        loss.backward()

    g = torch.Generator().manual_seed(0)
    for step in range(10):
        x = torch.randn(8, 12, generator=g)
        y = torch.stack([x[:, t] * (t + 1) for t in range(5)], dim=1)
        tasks = labelled_tasks(step)
        loss = task_loss(model, encode(x), y, tasks)
        opt.zero_grad()
        backward(loss)
        opt.step()
        print(f"step {step} tasks {tasks} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
