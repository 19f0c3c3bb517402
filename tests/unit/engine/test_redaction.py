"""What names itself a secret is not written; what only sounds like one is."""

from __future__ import annotations

import time

import pytest

from ca_engine.redaction import is_secret, redact_arguments, redact_text


@pytest.mark.parametrize(
    "name",
    [
        "--password", "--db-password", "PGPASSWORD", "db.password", "passwd", "client_secret",
        "clientSecret", "API_KEY", "--api-key", "apiKey", "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID", "HF_TOKEN", "--token", "hubToken", "--hub_token", "Authorization",
        "GOOGLE_CREDENTIALS", "cookie", "--ssh-passphrase", "WANDB_API_KEY",
    ],
)  # fmt: skip
def test_a_secret(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "--tokenizer", "--max-tokens", "--eos-token", "pad_token", "--tokens", "--key",
        "--sort-key", "--lr", "", "--", "--author", "--token-type", "keyboard", "--passes",
    ],
)  # fmt: skip
def test_no_secret(name: str) -> None:
    assert not is_secret(name)


def test_names_of_a_project() -> None:
    assert is_secret("--card-pin", ["*_pin"])
    assert is_secret("CARD_PIN", ["card-pin"])
    assert not is_secret("--spinner", ["*_pin"])


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (["--password=a b", "x"], ["--password=[redacted]", "x"]),
        (["--token", "abc", "--lr", "3"], ["--token", "[redacted]", "--lr", "3"]),
        (["--use-auth-token", "--lr", "3"], ["--use-auth-token", "--lr", "3"]),
        (["+db.password=x", "model=gpt"], ["+db.password=[redacted]", "model=gpt"]),
        (["API_KEY=x"], ["API_KEY=[redacted]"]),
        (["https://me:pw@host/a@b"], ["https://[redacted]@host/a@b"]),
        (["s3://bucket/x?token=abc&part=2"], ["s3://bucket/x?token=[redacted]&part=2"]),
        (["--name", "x=1 y=2"], ["--name", "x=1 y=2"]),
        (
            ["sh", "-c", "export A_SECRET=1; train --verbose --token 'a b' --lr 3"],
            ["sh", "-c", "export A_SECRET=[redacted]; train --verbose --token [redacted] --lr 3"],
        ),
        (
            ['curl -H "Authorization: Bearer abc" -d {"password": "a", "n": 1}'],
            ['curl -H "Authorization: [redacted]" -d {"password": [redacted], "n": 1}'],
        ),
        (["--flag password=x"], ["--flag password=[redacted]"]),
        (["hf_" + "a1" * 17, "ghp_short"], ["[redacted]", "ghp_short"]),
    ],
)
def test_a_command_line(arguments: list[str], written: list[str]) -> None:
    assert redact_arguments(arguments) == written


def test_running_text_keeps_its_words() -> None:
    text = "the token expired: password=hunter2 is wrong for https://me:hunter2@host/"

    assert redact_text(text) == (
        "the token expired: password=[redacted] is wrong for https://[redacted]@host/"
    )


@pytest.mark.parametrize(
    "unit",
    ["a-", "a=", "--", "://", "://a", "password=", '"', "'a:", 'a:"', "A", "bearer ", "x.y-",
     "password=bearer ", "--a ", "password: \"", "hf_"],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    """100 KB in well under a second, on a loaded machine too."""
    text = unit * (100_000 // len(unit))
    begin = time.process_time()

    redact_arguments([text])

    assert time.process_time() - begin < 2
