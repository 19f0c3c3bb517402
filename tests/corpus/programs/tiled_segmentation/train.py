"""Segments scans tile by tile."""

import torch
from network import Segmenter
from tiles import Tiling


class Predictor:
    def __init__(self, network, tiling, classes=3):
        self.network = torch.compile(network.eval(), backend="eager", dynamic=False)
        self.tiling, self.classes = tiling, classes

    @torch.inference_mode()
    def __call__(self, scan):
        height, width = scan.shape
        votes = torch.zeros(self.classes, height, width)
        for rows, columns in self.tiling.boxes(height, width):
            votes[:, rows, columns] += self.network(scan[None, None, rows, columns])[0]
        return votes.argmax(0)


def main():
    torch.manual_seed(0)
    predict = Predictor(Segmenter(), Tiling())
    for _ in range(3):
        predict(torch.rand(42, 50))


if __name__ == "__main__":
    main()
