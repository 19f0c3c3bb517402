import torch
from folds import fit

torch.manual_seed(0)
columns = torch.randn(20, 12)
target = torch.randn(20)
for fold, width in enumerate(range(2, 12)):
    print(fold, round(fit(fold, columns[:, :width], target), 5))
