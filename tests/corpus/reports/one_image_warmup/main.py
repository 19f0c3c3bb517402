import time

import torch
from pipeline import ImagePipeline


def main():
    torch.manual_seed(0)
    pipe = ImagePipeline(dim=16, steps=4)
    pipe.transformer = torch.compile(pipe.transformer, dynamic=True)
    t = time.time()
    pipe.generate("warm up", num_images=1, seed=0)
    print(f"warm up {time.time() - t:.1f}s")
    total = 0.0
    for i, (prompt, n) in enumerate([("a cat", 2), ("a dog", 4), ("a house", 3), ("a tree", 2)]):
        t = time.time()
        images = pipe.generate(prompt, num_images=n, seed=i)
        total += images.abs().sum().item()
        print(f"request {i}: {n} images in {time.time() - t:.1f}s")
    print("FINAL", round(total, 3))


if __name__ == "__main__":
    main()
