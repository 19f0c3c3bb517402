import torch

from engine import Decoder, Engine


def requests():
    torch.manual_seed(3)
    for number in range(6):
        yield torch.randint(0, 50, (2,)), number % 4


def main():
    torch.manual_seed(0)
    net = Decoder().eval()
    engine = Engine(net)
    engine.warm_up()
    total = 0
    for first, slot in requests():
        tokens = engine.generate(first, slot, length=5)
        total += int((tokens * torch.arange(1, 6)).sum())
    print("FINAL %d" % total)


main()
