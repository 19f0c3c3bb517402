import torch
from tts import Voice

SENTENCES = ["Hi.", "How are you doing today?", "The train is late again.", "No.", "We will be landing in about twenty minutes.",
             "Please keep your seat belts fastened until then.", "Thanks!", "What time is it over there right now, roughly?",
             "It rained.", "Nobody expected that to work so well.", "Come in, the door is open, and mind the step.", "Fine by me.",
             "Wait a second.", "The shop closes at six today.", "That was the last one, I am sure.", "See you there at noon."]


def main():
    torch.manual_seed(0)
    voice = Voice(dim=10)
    voice.model = torch.compile(voice.model, backend="aot_eager", dynamic=False)
    total = 0.0
    for i, text in enumerate(SENTENCES):
        frames = voice.speak(text, steps=3, seed=i)
        total += frames.abs().sum().item()
        print(f"{frames.shape[0]:3d} frames for {text!r}")
    print("FINAL", round(total, 3))


if __name__ == "__main__":
    main()
