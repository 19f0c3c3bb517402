import torch
from maskgit import MaskGit, Transformer
from trainer import MaskGitTrainer, WovenTokens

NUM_TOKENS, DIM_TEXT = 24, 12

torch.manual_seed(11)

transformer = Transformer(num_tokens=NUM_TOKENS, dim=16, depth=1, dim_context=DIM_TEXT)
transformer = torch.compile(transformer, backend="aot_eager")
maskgit = MaskGit(transformer, mask_id=NUM_TOKENS)

trainer = MaskGitTrainer(
    maskgit,
    WovenTokens(batch=4, num_tokens=NUM_TOKENS, dim_text=DIM_TEXT),
    lr=3e-3,
    cond_drop_prob=0.25,
    seed=1,
)

trainer(18)
