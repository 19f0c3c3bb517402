import torch

from service import Service


def main():
    torch.manual_seed(27)
    service = Service()
    service.warm_up()
    waiting = [service.submit(torch.randint(0, 60, (4, 12))) for _ in range(6)]
    total = 0.0
    for job in waiting:
        tags, score = job.result()
        total += score.item() + tags.sum().item()
    service.pool.shutdown()
    print("FINAL %.5f" % total)


main()
