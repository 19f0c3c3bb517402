"""Speaker embeddings with margin and centres."""

import argparse
from itertools import islice

import torch
from embedder import XVector
from losses import AMSoftmax, CentreLoss
from speech import Frames, SpeakerSampler, cmvn
from torch._dynamo import compiled_autograd
from trainer import SpeakerTrainer


def main(args):
    torch.manual_seed(args.seed)
    frames = Frames(args.speakers, args.mels, args.frames, args.seed)
    sampler = SpeakerSampler(args.speakers, 4, 3, args.seed)
    trainer = SpeakerTrainer(
        XVector(args.mels), AMSoftmax(12, args.speakers), CentreLoss(12, args.speakers)
    )
    with compiled_autograd._enable(torch.compile(backend=args.backend)):
        for step, labels in enumerate(islice(sampler, args.steps), start=1):
            trainer.train_step(cmvn(frames(labels)), labels)
            if step % 4 == 0:
                print(step, *(f"{name} {meter}" for name, meter in trainer.meters.items()))
    labels = torch.arange(args.speakers).repeat_interleave(4)
    print(f"error {trainer.equal_error(cmvn(frames(labels)), labels):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--speakers", type=int, default=8)
    parser.add_argument("--mels", type=int, default=10)
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--backend", default="aot_eager")
    main(parser.parse_args())
