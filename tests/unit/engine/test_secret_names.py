"""Names whose value decides, and those that a secret's words make."""

from __future__ import annotations

import pytest

from ca_engine.redaction import redact_arguments


@pytest.mark.parametrize(
    "arguments",
    [
        ["--license", "hunter2"], ["--license=hunter2"], ["license=8F3K-22QX-hunter2"],
        ["--gurobi-license", "hunter2"], ["--license-key", "hunter2"], ["--licensekey", "hunter2"],
        ["--kms-key-id", "hunter2"], ["--kms-key=hunter2"], ["--kms-key-arn", "hunter2"],
        ["--unlock-code", "hunter2"], ["--unlock_code=hunter2"], ["unlockCode=hunter2"],
        ["--hash-salt", "hunter2"], ["--salt", "hunter2"], ["salt=hunter2"], ["--jwt-salt=hunter2"],
        ["--pepper", "hunter2"], ["--mfa-code", "hunter2"], ["--recovery-codes", "a", "hunter2"],
        ["--backup-code=hunter2"], ["--activation-code=hunter2"], ["--2fa-code", "hunter2"],
        ["--pass-phrase", "hunter2"], ["--passkey", "hunter2"], ["-storepass", "hunter2"],
        ["--keypass=hunter2"], ["--masterkey", "hunter2"], ["--signingkey", "hunter2"],
        ["--sessiontoken=hunter2"], ["--github-key", "hunter2"], ["--twilio-key=hunter2"],
        ["tokens.hf=hunter2"], ["+keys.openai=hunter2"], ["--tokens", '{"hf": "hunter2"}'],
        ["tokens={hf: hunter2, x: 3}"], ['tokens={"hf":{"read":"hunter2"}}'],
        ["--pin=hunter2"], ["pin=hunter2"], ["card.pin=hunter2"], ["--pw=hunter2"], ["pwd=hunter2"],
        ["--connection-string", "hunter2"], ["--encryption-seed", "hunter2"],
        ['{"name": "DB_PASSWORD", "value": "hunter2"}'], ["[{name: API_KEY, value: hunter2}]"],
        ["{'name': 'password', 'value': 'hunter2'}"],
        [r'{\"name\": \"API_KEY\", \"value\": \"hunter2\"}'],
        ["--key", "a1b2c3hunter2d4e5f6a7b8"], ["cache_key=a1b2c3hunter2d4e5f6a7b8"],
        ["--fernet-key", "hunter2"], ['--cfg={"license": "hunter2"}'], ["--wifi-pwd", "hunter2"],
        ["sh", "-c", "train --license hunter2"], ["--mnemonic", "hunter2"],
    ],
)  # fmt: skip
def test_a_secret_by_its_name_and_value(arguments: list[str]) -> None:
    redacted = " ".join(redact_arguments(arguments))
    assert "hunter2" not in redacted
    assert "[redacted]" in redacted


@pytest.mark.parametrize(
    "arguments",
    [
        ["--license", "MIT"], ["--license=Apache-2.0"], ["license=cc-by-nc-4.0"],
        ["--license", "LICENSE.txt"], ["--license", "/opt/x.lic"], ["--license", "llama3"],
        ["--license-file", "x"], ["--max-tokens", "5"], ["--tokens", "128"], ["tokens=128"],
        ["num_tokens=x"], ["api_tokens=5"], ["--hf-tokens", "5"], ["--tokens", '{"bos": "<s>"}'],
        ["--pin-memory", "True"], ["pin_memory=true"], ["pin=true"], ["pin=1"], ["--pinned", "x"],
        ["--salt", "0.05"], ["salt=0.5"], ["--salt-prob", "3"], ["--seed", "42"], ["--code", "x"],
        ["--lang-code", "en_XX"], ["exit_code=1"], ["--zip-code", "12345"], ["--timecode", "x"],
        ["PWD=/home/me"], ["--cache-key", "resnet50_imagenet_224"], ["--key", "uid"],
        ["--key", "model.layers.0.self_attn.q_proj.weight"], ["{name: PATH, value: x}"],
        ["the license: as it is"], ["--activation", "relu"], ["keys=a,b"],
        ["--mnemonic-file", "x"], ["--product-key-dim", "128"], ["--num-key-value-heads", "8"],
        ["--token", "</s>"], ["--fernet-key", "-v"], ["--bypass", "x"], ["--valid-tokens", "x"],
    ],
)  # fmt: skip
def test_what_such_a_name_holds_by_chance(arguments: list[str]) -> None:
    assert redact_arguments(arguments) == arguments
