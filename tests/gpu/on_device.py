"""``python on_device.py DEVICE SCRIPT``: run a script whose tensors are made on the device."""

import runpy
import sys

import torch

device, script = sys.argv[1:3]
torch.set_default_device(device)
sys.argv = [script]
runpy.run_path(script, run_name="__main__")
