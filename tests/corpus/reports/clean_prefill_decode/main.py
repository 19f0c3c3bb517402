import torch
from codec import Talker

PROMPTS = ["a calm voice", "fast and loud", "a whisper in a big hall", "old radio", "cheerful"]


def main():
    torch.manual_seed(0)
    talker = Talker(vocab=30, dim=10, prompt_len=12, max_len=24)
    talker.net.compile(backend="aot_eager", dynamic=False)
    talker.speak("warm up", new=3)
    total = 0
    for i, prompt in enumerate(PROMPTS):
        codes = talker.speak(prompt, new=5)
        total += sum((k + 1) * c for k, c in enumerate(codes)) * (i + 1)
        print(f"{prompt!r}: {codes}")
    print("FINAL", total)


if __name__ == "__main__":
    main()
