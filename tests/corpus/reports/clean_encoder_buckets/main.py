import torch
from server import TranscribeServer


def main():
    torch.manual_seed(0)
    server = TranscribeServer(buckets=(1, 2, 3, 4))
    server.start()
    g = torch.Generator().manual_seed(0)
    total = 0.0
    for i, seconds in enumerate([2.0, 7.5, 4.1, 9.9, 1.2, 14.0, 5.5]):
        audio = torch.randn(int(seconds * 100), generator=g)
        score = server.handle(audio)
        total += score
        print(f"request {i} {seconds}s score {score:.4f}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
