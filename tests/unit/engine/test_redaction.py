"""What names itself a secret is not written; what only sounds like one is."""

from __future__ import annotations

import ast
import time

import pytest

from ca_engine.redaction import is_secret, redact_arguments, redact_source, redact_text


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
    redact_source(text)

    assert time.process_time() - begin < 2


SOURCE = """
password = "hunter2"
client = Client(api_key='hunter2', token=tokenizer, eos_token="</s>", model="m")
os.environ["HF_TOKEN"] = "hunter2"
PIN: Final[str] = "hunter2"
url = "https://me:hunter2@host/data"
settings = {"db_password": "hunter2", "key": "k"}
hub = login("hf_abcdefghijklmnopqrstuvwxyz")
if password == "": raise ValueError("no password")
"""


def test_literals_of_source_are_taken_out_and_it_parses_as_before() -> None:
    redacted = redact_source(SOURCE, ["pin"])

    assert "hunter2" not in redacted
    assert "hf_abc" not in redacted
    for kept in ("token=tokenizer", '"</s>"', '"k"', "no password", "os.environ"):
        assert kept in redacted
    before, after = (ast.walk(ast.parse(text)) for text in (SOURCE, redacted))
    assert [type(node) for node in before] == [type(node) for node in after]


@pytest.mark.parametrize(
    "text", ["--password=[redacted]", "password: [redacted] x", "https://[redacted]@h/", SOURCE]
)
def test_what_is_redacted_stays_as_it_is(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once
    assert redact_source(redact_source(text)) == redact_source(text)
    assert redact_arguments(["--token", "[redacted]", once])[:2] == ["--token", "[redacted]"]
