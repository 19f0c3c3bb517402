"""Proves and measures on a GPU: ``make gpu``. Each module ``part_*`` is one part of the report.

Nothing here is collected by pytest; `tests/integration/test_gpu.py` runs all of it on the CPU.
"""
