import argparse

import torch
from config import Config
from leaves import build_train_loader
from modeling import OneStageDetector
from trainer import DynamicTraining, PeriodicWriter, ThawBackbone, Trainer, WarmupLR


def setup(args):
    cfg = Config()
    for option in args.opts:
        key, value = option.split("=")
        section, name = key.split(".")
        old = getattr(getattr(cfg, section), name)
        setattr(getattr(cfg, section), name, type(old)(value))
    return cfg


def main(args):
    cfg = setup(args)
    torch.manual_seed(cfg.seed)
    trainer = Trainer(cfg, OneStageDetector(cfg), build_train_loader(cfg))
    trainer.register_hooks(
        WarmupLR(), ThawBackbone(), DynamicTraining(cfg.dynamic), PeriodicWriter()
    )
    trainer.train()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("opts", nargs="*", help="section.name=value")
    main(parser.parse_args())
