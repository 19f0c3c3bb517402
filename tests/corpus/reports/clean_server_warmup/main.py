import torch
from server import Server


def main():
    torch.manual_seed(0)
    server = Server(dim=12, batch_sizes=(1, 2, 4, 8))
    server.warm_up()
    g = torch.Generator().manual_seed(0)
    total = 0.0
    for waiting in (1, 3, 2, 7, 5, 1, 8, 4, 6):
        requests = [torch.randn(12, generator=g) for _ in range(waiting)]
        answers = server.handle(requests)
        print(f"{waiting} requests -> {[round(a, 3) for a in answers]}")
        total += sum(answers)
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
