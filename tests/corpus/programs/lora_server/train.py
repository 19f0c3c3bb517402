"""Replays a morning's requests."""

import random

import torch
from server import Server

TENANTS = ["acme", "birch", "cobalt", "delta", "ember"]


def requests(count):
    rng = random.Random(4)
    for _ in range(count):
        yield {"tenant": rng.choice(TENANTS), "features": torch.randn(2, 8)}


def main():
    torch.manual_seed(0)
    server = Server(TENANTS)
    for request in requests(25):
        server.answer(request)


if __name__ == "__main__":
    main()
