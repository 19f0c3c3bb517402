import torch
from fewshot import Trunk, adapt, make_head

TASKS = 10


def main():
    torch.manual_seed(0)
    trunk = Trunk(6, 12).eval()
    predict = torch.compile(lambda x, head: torch.softmax(head(trunk(x)), -1), backend="aot_eager")
    g = torch.Generator().manual_seed(17)
    right = 0.0
    for task in range(TASKS):
        support, query = torch.randn(10, 6, generator=g), torch.randn(20, 6, generator=g)
        border = torch.randn(6, generator=g)
        head = adapt(make_head(12, 2), trunk(support).detach(), (support @ border > 0).long())
        with torch.no_grad():
            p = predict(query, head)
        right += (p.argmax(1) == (query @ border > 0).long()).float().mean().item()
        print(f"task {task} accuracy so far {right / (task + 1):.3f}")
    print("FINAL", round(right / TASKS, 4))


if __name__ == "__main__":
    main()
