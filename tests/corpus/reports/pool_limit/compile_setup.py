"""Everything that has to be set before anything is compiled."""
import torch

SHAPES_WE_EXPECT = 48


def prepare():
    torch.set_float32_matmul_precision("high")
    torch._dynamo.config.recompile_limit = SHAPES_WE_EXPECT
