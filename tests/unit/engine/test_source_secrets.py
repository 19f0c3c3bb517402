"""Of source only the literals of secrets are taken out, and it parses as before."""

from __future__ import annotations

import ast

import pytest

from ca_engine.source_redaction import redact_source

SOURCE = """
password = "hunter2"
client = Client(api_key='hunter2', token=tokenizer, eos_token="</s>", model="m")
os.environ["HF_TOKEN"] = "hunter2"
PIN: Final[str] = "hunter2"
url = "https://me:hunter2@host/data"
settings = {"db_password": "hunter2", "key": "k"}
settings = {"db_password":
            "hunter2"}
password = "a\\"hunter2"
password = '''a
hunter2'''
passwords = ["a", b"hunter2", "hunter2"]
password: str | None = SecretStr("hunter2")
os.environ.setdefault("HF_TOKEN", "hunter2")
parser.add_argument("--password", type=str, default="hunter2")
assert password != "hunter2"  # the password: hunter2
connection = "host=x password=hunter2 user=y"
hub = login("hf_abcdefghijklmnopqrstuvwxyz")
requests.get(url, auth=("me", "hunter2"), timeout=3)
requests.get(url, auth=HTTPBasicAuth('me', 'hunter2'))
session.auth = "me", "hunter2"
smtp.login("me", "hunter2")
wandb.login(key="hunter2")
subprocess.run(["train", "--api-key", "hunter2", "--lr", "1"])
subprocess.run(['curl', '-u', 'me:hunter2', url])
token = os.environ.get("HUB") or "hunter2"
password = typed if typed else ("hunter2")
setattr(settings, "api_key", "hunter2")
if password == "": raise ValueError("no password")
d["password"]["x"] = "hunter2"
d["a"]["password"] = "hunter2"
passwords['alice'] = "hunter2"
keyring.set_password("service", "me", "hunter2")
requests.get(url, auths=[HTTPBasicAuth("me", "hunter2")])
keyring.set_password(SERVICE, os.name, 'hunter2')
user.set_password("hunter2")
huggingface_hub.login("hunter2")
login('hunter2', add_to_git_credential=True)
client = Client(url, AzureKeyCredential("hunter2"))
credential = ClientSecretCredential("tenant", client_id, "hunter2")
shown = show(SecretStr("hunter2"))
sent = jwt.encode(data, "hunter2", algorithm="HS256")
url = "jdbc:oracle:thin:me/hunter2@//host:1521/x"
user, password = "me", "hunter2"
password, user = ("hunter2", "me")
(user, password) = "me", 'hunter2'
user, password = os.environ["USER"], "hunter2"
connect(
    user, password="hunter2", model="model")
password = f"hunter2"
dsn = f"host={host} password=hunter2"
if "hunter2" == password or 'hunter2' != self.password: pass
"""

HARMLESS = """
d["a"]["b"] = "text"
name, kind = "password", "text"
size, tokens = "large", 3
password = f"{kind}"
user, password = f"{kind}", f"{kind}"
dsn = f"password={password!r:>{width}} {{x}}"
print(f"{password:>{width}} text")
if "password" == kind or "" == password: pass
x = "text" == token_type
model = SecretStr("")
client = Client(url, AzureKeyCredential(f"{kind}"), DefaultAzureCredential())
login(), login(read("x"))
loader = DataLoader(data, pin_memory=True, pin_memory_device="cuda")
sent = jwt.encode(data, kind, algorithm="HS256")
f(name, kind="password")
"""


def test_literals_of_source_are_taken_out_and_it_parses_as_before() -> None:
    redacted = redact_source(SOURCE, ["pin"])

    assert "hunter2" not in redacted
    assert "hf_abc" not in redacted
    for kept in ("token=tokenizer", '"</s>"', '"k"', "no password", "os.environ"):
        assert kept in redacted
    assert redacted.count("\n") == SOURCE.count("\n"), "lines keep their numbers"
    before, after = (ast.walk(ast.parse(text)) for text in (SOURCE, redacted))
    assert [type(node) for node in before] == [type(node) for node in after]


def test_source_that_names_no_secret_stays_as_it_is() -> None:
    assert redact_source(HARMLESS) == HARMLESS


def test_of_a_tuple_only_the_secret_is_taken_out() -> None:
    assert redact_source('user, password = "me", "x"') == 'user, password = "me", "[redacted]"'
    assert redact_source('password, user = "x", "me"') == 'password, user = "[redacted]", "me"'


def test_what_is_redacted_stays_as_it_is() -> None:
    once = redact_source(SOURCE)
    assert redact_source(once) == once


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('password = "a" + "b" + "c"', 'password = "[redacted]" + "[redacted]" + "[redacted]"'),
        (
            'password = (\n    "a"\n    + "b"\n)',
            'password = (\n    "[redacted]"\n    + "[redacted]"\n)',
        ),
        (
            'password = "a" + suffix; shown = "plain"',
            'password = "[redacted]" + suffix; shown = "plain"',
        ),
    ],
)
def test_a_secret_that_is_written_in_parts(text: str, shown: str) -> None:
    assert redact_source(text) == shown
