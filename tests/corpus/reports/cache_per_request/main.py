import torch
from generation import Generator
from modeling import CausalLM


def main():
    torch.manual_seed(0)
    generator = Generator(CausalLM(vocab=30, dim=16, max_position=64).eval())
    total = 0.0
    requests = [(4, 6), (7, 5), (3, 9), (5, 5), (9, 8), (2, 3)]
    for i, (prompt_len, new_tokens) in enumerate(requests):
        g = torch.Generator().manual_seed(i)
        prompt = torch.randint(0, 30, (1, prompt_len), generator=g)
        tokens, score = generator.generate(prompt, max_new_tokens=new_tokens)
        print(f"request {i}: {tokens}")
        total += score
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
