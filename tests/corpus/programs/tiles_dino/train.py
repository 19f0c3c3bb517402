import argparse
import copy
import math

import torch
from crops import DataAugmentationDINO, make_tiles, view_loader
from dino import DINOLoss, cancel_gradients_last_layer
from vit import DINOHead, MultiCropWrapper, VisionTransformer
from watch import SpreadWatch


def get_args_parser():
    parser = argparse.ArgumentParser("DINO on tissue tiles")
    parser.add_argument("--out_dim", default=20, type=int)
    parser.add_argument("--momentum_teacher", default=0.98, type=float)
    parser.add_argument("--warmup_teacher_temp", default=0.04, type=float)
    parser.add_argument("--teacher_temp", default=0.07, type=float)
    parser.add_argument("--warmup_teacher_temp_epochs", default=3, type=int)
    parser.add_argument("--freeze_last_layer", default=1, type=int)
    parser.add_argument("--clip_grad", default=3.0, type=float)
    parser.add_argument("--batch_size", default=8, type=int)
    parser.add_argument("--epochs", default=4, type=int)
    parser.add_argument("--lr", default=2e-3, type=float)
    parser.add_argument("--watch_freq", default=5, type=int, help="length of a window, in steps")
    parser.add_argument("--backend", default="aot_eager")
    return parser


def cosine_scheduler(base, final, epochs, niter):
    total = epochs * niter
    return [
        final + 0.5 * (base - final) * (1 + math.cos(math.pi * i / total)) for i in range(total)
    ]


def train_dino(args):
    torch.manual_seed(0)
    tiles = make_tiles(32)
    niter = len(tiles) // args.batch_size
    student = MultiCropWrapper(VisionTransformer(), DINOHead(24, args.out_dim))
    teacher = copy.deepcopy(student).eval()
    for p in teacher.parameters():
        p.requires_grad = False

    dino_loss = DINOLoss(
        args.out_dim,
        args.warmup_teacher_temp,
        args.teacher_temp,
        args.warmup_teacher_temp_epochs,
        args.epochs,
    )
    forward_student = torch.compile(student, backend=args.backend)
    criterion = torch.compile(dino_loss, backend=args.backend)
    optimizer = torch.optim.AdamW(student.parameters(), lr=args.lr)
    lr_schedule = cosine_scheduler(args.lr, 1e-5, args.epochs, niter)
    wd_schedule = cosine_scheduler(0.04, 0.4, args.epochs, niter)
    momentum_schedule = cosine_scheduler(args.momentum_teacher, 1.0, args.epochs, niter)
    watch = SpreadWatch(args.out_dim)
    rows = []
    augment = DataAugmentationDINO()

    for epoch in range(args.epochs):
        total = 0.0
        for it, crops in enumerate(view_loader(tiles, args.batch_size, augment), epoch * niter):
            for group in optimizer.param_groups:
                group["lr"], group["weight_decay"] = lr_schedule[it], wd_schedule[it]
            with torch.no_grad():
                teacher_output = teacher(crops[:2], args.batch_size)
            student_output = forward_student(crops, args.batch_size)
            loss = criterion(student_output, teacher_output, epoch)

            if it % args.watch_freq == 0:
                rows.append(watch.effective_rows())
                watch.attach(student.head.last_layer.weight)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(student.parameters(), args.clip_grad)
            cancel_gradients_last_layer(epoch, student, args.freeze_last_layer)
            optimizer.step()

            with torch.no_grad():
                m = momentum_schedule[it]
                for q, k in zip(student.parameters(), teacher.parameters(), strict=True):
                    k.mul_(m).add_((1 - m) * q.detach())
            total += loss.item()
        print(f"Epoch: [{epoch}/{args.epochs}] loss {total / niter:.4f} rows {rows[-1]:.1f}")


if __name__ == "__main__":
    train_dino(get_args_parser().parse_args())
