"""Every touch of torch's private names, and all that differs between its versions.

No other module of the engine names what torch marks as private: a module or an attribute with
a leading underscore, or a module below one (``torch._dynamo.utils``). A test reads the engine's
source and holds it to that (`tests/unit/engine/test_compat.py`). Measured on torch 2.13.0; 2.14
and 2.15 drive the same protocol.

- `versions`: which versions are tested, and whatever is not the same in all of them;
- `patches`: what is replaced in torch, each with its way back;
- `compiled_autograd`: torch's own engine and its C++ half;
- `graph_calls`: the functions that stand in captured graphs;
- `dynamo`: the compiler around all this;
- `torch_compile`: what ``torch.compile`` returned, taken apart;
- `aot_regions`, `autograd_nodes`, `tensors`, `fx_graphs`, `nn_modules`: what torch keeps on its
  objects;
- `structured_trace`: the trace that ``TORCH_TRACE`` names;
- `marks`: what torch reads off functions of ours; imports no torch.

Nothing is imported here, so that a caller gets only what it asks for.
"""
