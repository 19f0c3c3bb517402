import torch

from model import Decoder


def causal_rows(start, n, total):
    cols = torch.arange(total)
    rows = torch.arange(start, start + n)
    return cols[None, :] <= rows[:, None]


@torch.no_grad()
def generate(prefill, decode, model, prompt, new_tokens):
    model.reset_caches()
    n = prompt.shape[1]
    logits = prefill(prompt, causal_rows(0, n, model.max_len))
    token = logits.argmax(-1, keepdim=True)
    out = [token.item()]
    for i in range(new_tokens - 1):
        logits = decode(token, causal_rows(n + i, 1, model.max_len))
        token = logits.argmax(-1, keepdim=True)
        out.append(token.item())
    return out


def main():
    torch.manual_seed(0)
    model = Decoder().eval()
    decode = torch.compile(model, backend="eager")
    prompts = [torch.randint(0, 50, (1, n)) for n in (5, 5)]
    for prompt in prompts:
        print("tokens", generate(model, decode, model, prompt, 14))


if __name__ == "__main__":
    main()
