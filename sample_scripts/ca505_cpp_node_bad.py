"""An autograd function in C++ that is not marked as traceable.

Compiled autograd runs it in eager and cuts the compiled backward there. Building it takes half
a minute the first time.

    ca run sample_scripts/ca505_cpp_node_bad.py

What to look for: CA505 with the function's name, at the backward call.
"""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
struct Triple : public torch::autograd::Function<Triple> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) {
    return x * 3;
  }
  static torch::autograd::variable_list backward(
      torch::autograd::AutogradContext*, torch::autograd::variable_list grads) {
    return {grads[0] * 3};
  }
};
at::Tensor triple(const at::Tensor& x) { return Triple::apply(x); }
TORCH_LIBRARY(ca505_bad, m) { m.def("triple", triple); }
"""


def main() -> None:
    load_inline("ca505_bad", SOURCE, is_python_module=False, extra_cflags=["-O0"])
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(torch.ops.ca505_bad.triple(model(inputs)), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()  # <- CA505
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
