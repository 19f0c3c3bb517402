"""How torch is to compile here."""

import torch._dynamo


def prepared():
    """A read scalar stays in its graph, and prints are moved after it."""
    torch._dynamo.config.capture_scalar_outputs = True
    torch._dynamo.config.reorderable_logging_functions.add(print)
