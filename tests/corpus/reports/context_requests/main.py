"""Serve a handful of requests with continuous batching; the batch is padded to a fixed size."""
import torch

from engine import Decoder, Request, get_context


@torch.inference_mode()
def main():
    torch.manual_seed(6)
    model = Decoder().eval()
    decode = torch.compile(model, backend="eager")
    context = get_context()
    context.running = [Request(left=n, last=n) for n in range(2, 14)]
    produced = 0
    while context.running:
        tokens = torch.zeros(model.slots, dtype=torch.long)
        for slot, request in enumerate(context.running):
            tokens[slot] = request.last
        logits = decode(tokens)
        for slot, request in enumerate(context.running):
            request.last = int(logits[slot].argmax())
            request.left -= 1
            produced += 1
        context.running = [r for r in context.running if r.left > 0]
    print(f"FINAL {produced}")


if __name__ == "__main__":
    main()
