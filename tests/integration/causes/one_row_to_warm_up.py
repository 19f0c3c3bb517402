"""A server is warmed up with one row: a graph of its own, although sizes are dynamic."""

# finds CA103 /^call `torch\._dynamo\.decorators\.mark_unbacked\(rows, 0\)`/
# never /No recompiles|pad to one length|compile with dynamic=True/
import torch


@torch.compile(dynamic=True, backend="eager")
def scored(rows: torch.Tensor) -> torch.Tensor:
    return torch.where(rows > 0, rows, torch.zeros_like(rows)) * 2


def serve(rows: torch.Tensor) -> torch.Tensor:
    return scored(rows)  # <- CA103


with torch.no_grad():
    serve(torch.zeros(1, 4))
    for number in (4, 7, 1, 9):
        serve(torch.randn(number, 4))
