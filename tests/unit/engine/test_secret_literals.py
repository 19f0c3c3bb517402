"""Literals that are secrets by where they stand, and those that only look so."""

from __future__ import annotations

import ast

import pytest

from ca_engine.source_redaction import redact_source
from tests import slopes

SECRETS = r'''
pin = "hunter2"
PIN = 'hunter2'
class A: pin = "hunter2"
user_pin: str = "hunter2"
pin, unlock_code = "hunter2", "hunter2"
d["pin"] = "hunter2"
f(pin="hunter2", license="hunter2", salt="hunter2")
license = "8F3K-22QX-hunter2"
hash_salt = b"hunter2"
otp = "hunter2"
unlock_code = "hunter2"
pw = "hunter2"
ftp = FTP("host", "me", "hunter2")
ftp = ftplib.FTP_TLS("host", user, passwd="hunter2")
box = Fernet("hunter2")
box = MultiFernet([Fernet(b"hunter2")])
box = AESGCM(b'hunter2')
sent = hmac.new(b"hunter2", message, "sha256")
cipher = AES.new("hunter2", AES.MODE_CBC)
key = hashlib.pbkdf2_hmac("sha256", b"hunter2", b"hunter2", 1000)
signer = URLSafeTimedSerializer("hunter2")
db = pymysql.connect("host", "me", "hunter2", "db")
db = connect(host, user, "hunter2")
box = Minio("host", "hunter2", "hunter2")
hub = Github("hunter2")
lab = Gitlab("https://h", "hunter2")
session.auth = TokenAuth("hunter2")
session.auth = OAuth1(client, "hunter2")
openai.set_api_key("hunter2")
key = ApiKey("hunter2")
ok = verify_password("hunter2", stored)
ok = bcrypt.checkpw(b"hunter2", stored)
zip.setpassword(b"hunter2")
ldap.simple_bind_s("cn=me", "hunter2")
smtp.login(user, "hunter2")
manager.add_password(None, url, "me", "hunter2")
import comet_ml; e = comet_ml.Experiment("hunter2")
e = Experiment("hunter2", project_name="p")
tokens = {"hf": "hunter2", "openai": "hunter2"}
load(tokens={"hf": "hunter2"})
keys = dict(openai="hunter2")
keys = {"prod": "a1b2c3hunter2d4e5f6a7b8"}
passwords = {"alice": "hunter2", "bob": ["hunter2", ("hunter2",)]}
secrets = {"db": {"url": "hunter2"}}
secrets = dict(db="hunter2")
credentials: dict[str, str] = {"user": "hunter2"}
creds = SimpleNamespace(user="hunter2")
settings = {"passwords": {"a": "hunter2"}}
f(api_keys={"a": "hunter2"})
api_keys = {
    "a": "hunter2",
    "b": str("hunter2"),
}
class Passwords(Enum):
    """Text."""
    ADMIN = "hunter2"
    BOB: str = "hunter2"
match password:
    case "hunter2" | 'hunter2':
        pass
    case "hunter2" if x == "text":
        pass
match (user, request["password"]):
    case ("me", "hunter2"): pass
match self.api_key:
    case (
        "hunter2"
    ):
        pass
print("password is", "hunter2")
print("The password is: " + "hunter2")
print("the password:", 'hunter2')
print("password", "hunter2")
print("password=" "hunter2")
print("password=%s" % "hunter2")
print("user %s, password %s" % ("me", "hunter2"))
print("password: {}".format("hunter2"))
print("password: {} {}".format(user, "hunter2"))
logging.info("password is %s", "hunter2")
logger.debug("user %s password=%s", user, "hunter2")
print(f"{user}'s password is", "hunter2")
command = ["--password=" + "hunter2"]
print("API key:", "hunter2")
parser.add_argument(
    "--password",
    type=str,
    default="hunter2",
)
parser.add_argument("-p", "--password", default="hunter2")
parser.add_argument("--password", type=lambda x: f(x), default="hunter2")
parser.add_argument("-x", dest="password", default="hunter2")
password: "str" = "hunter2"
password = other = "hunter2"
password: Optional["str"] = "hunter2"
password: str = Field(default="hunter2")
password: str = Field("hunter2", description="text")
password = os.environ.get("X", "hunter2")
password = str(os.getenv("X", default="hunter2"))
api_key = base64.b64decode("hunter2")
api_key = "".join(["hunter2", "hunter2"])
api_key = bytes.fromhex("hunter2").decode()
if password in ("hunter2", 'hunter2'): pass
if password not in ["hunter2"]: pass
if hmac.compare_digest(password, "hunter2"): pass
if secrets.compare_digest("hunter2", self.token_key or password): pass
self.assertEqual(password, "hunter2")
if self.password.startswith("hunter2"): pass
if password.__eq__("hunter2"): pass
env = [{"name": "DB_PASSWORD", "value": "hunter2"}]
env = Env(name="DB_PASSWORD", value="hunter2")
if "hunter2" == pin: pass
box = encrypt(data, "hunter2")
d.update(pin="hunter2")
tokens_hf = "hunter2"
if (pw := "hunter2"): pass
keys = [
    {"name": "API_KEY",
     "value": "hunter2"}]
password = settings.pop("x", None) or settings.get("y", "hunter2")
if password is "hunter2": pass
"user %(user)s password %(password)s" % {"user": "me", "password": "hunter2"}
raise ValueError("password: " + 'hunter2')
match d["a"]["password"]:
    case str("hunter2"): pass
match (yield password):
    case {"x": "hunter2"}: pass
unlock(unlock_code="hunter2", kms_key_id="hunter2")
os.environ.update({"DB_PIN": "hunter2"})
x = Login(pin="hunter2")
x = Vault(tokens=["a", "a1b2c3hunter2d4e5f6a7b8"])
password = dict(value="hunter2")["value"]
password = ("hunter2")
password = "hunter2" if debug else None
password = [*"hunter2"]
(api_key) = "hunter2"
self._pin: Final = "hunter2"
pin: "str" = "hunter2"
tokens |= {"hf": "hunter2"}
tokens["hf"] = "hunter2"
tokens.update(hf="hunter2")
tokens.update({"hf": "hunter2"})
tokens = {**old, "hf": "hunter2"}
tokens = dict([("hf", "hunter2")])
keys: dict[str, str] = {"openai": "hunter2"}
password += "hunter2"
print("password is", repr("hunter2"))
print("password is {}".format("hunter2"))
print("password is %s" % ("hunter2",))
sys.stdout.write("password: " + str("hunter2"))
match pin:
    case "hunter2": pass
match os.environ.get("HF_TOKEN"):
    case "hunter2": pass
fernet.Fernet(key="hunter2")
cryptography.fernet.Fernet(b"hunter2")
Fernet(base64.b64encode(b"hunter2"))
FTP(host="h", user="me", passwd="hunter2")
with FTP("host", "me", "hunter2") as f: pass
ftp.login("me", "hunter2")
ftp.login(user="me", passwd="hunter2")
Experiment(api_key="hunter2")
comet_ml.login("hunter2")
x = Redis("host", 6379, 0, "hunter2")
engine = create_engine("postgresql://me:hunter2@h/db")
jwt.decode(data, "hunter2", algorithms=["HS256"])
password = lambda: "hunter2"
os.environ |= {"API_KEY": "hunter2"}
os.environ["PIN"] = "hunter2"
if getattr(args, "password") == "hunter2": pass
if args["password"] == "hunter2": pass
if (args.password or "") == "hunter2": pass
if not password == "hunter2": pass
login(username="me", password=b"hunter2")
pin = b"hunter2"
pin = 'hunter2'.strip()
pin = str("hunter2")
license_key = "hunter2"
license = "hunter2-1a2b-3c4d-5e6f"
salt = bytes("hunter2", "utf-8")
salt = b"hunter2"
unlock_code: str = "hunter2"
config.update(license="hunter2", pin="hunter2")
kms_key_id = "hunter2"
argparse.Namespace(pin="hunter2")
'''

# Lines of their own that the lines around make secrets: a line that torch quotes has none.
BY_OTHER_LINES = (
    "ADMIN", "BOB", "case", '"hunter2"', "default=", '"a": ', '"b": ', "Experiment(\"hunter2\", p",
    '"value"',
)  # fmt: skip

HARMLESS = r'''
tokens = 128
f(tokens=128, max_tokens=5, num_tokens="text", pin_memory=True, license="MIT")
num_tokens = "all"
loader = DataLoader(data, pin_memory=True, pin_memory_device="cuda")
license = "apache-2.0"
pin, license = "yes", "MIT"
license = "Llama 3 Community License"
card = ModelCardData(license="cc-by-nc-4.0", language="en")
"License :: OSI Approved :: MIT License"
tokens = {"bos": "<s>", "eos": "</s>", "pad": "text"}
special_tokens = {"pad_token": "[PAD]"}
tokenizer.add_special_tokens({"pad_token": "[PAD]"})
tokenizer.add_tokens(["<a>", "word"])
token = AddedToken("<mask>", lstrip=True)
if token == "</s>" or token in ("<s>", "word"): pass
if token.startswith("##"): pass
token = tokenizer.decode("text")
keys = {"weight": "model.layers.0.self_attn.q_proj.weight"}
key = "layers_0_self_attn_3_q_proj_weight"
cache_key = "resnet50_imagenet_224"
state_dict["model.layers.12.mlp.gate_proj.weight"]
noise = salt_and_pepper(image, salt=0.5)
salt_prob = "high"
experiment = Experiment("mnist")
match activation:
    case "relu" | "gelu":
        pass
match kind:
    case "a": pass
match = re.match("a", "b")
match(a, "b")
print("no password given", "text")
print("epoch", "3", "tokens", "5")
print("loss is", "low")
print("tokens per second:", "9")
print("next token:", "cat")
parser.add_argument("--max-tokens", type=int, default="5")
parser.add_argument("--lr", default="x")
code = "python"
lang_code = "en_XX"
status_code = "ok"
activation = "relu"
activation_key = "gelu"
password = read("settings.toml")
password = getpass.getpass("Your entry: ")
api_key = os.environ["HUB"]
api_key = get_secret("name-of-it")
raise PasswordError("wrong one")
schema = {"password": {"type": "string", "description": "text"}}
signal.connect("clicked", on_click)
graph.connect(a, b)
x = FTP("host")
Fernet(read())
sample = random.choice(["a", "b"])
pwd = "/home/me"
spin = "up"; pinned = "yes"
env = [{"name": "PATH", "value": "text"}]
mnemonic = "add"
compare(a, "text")
self.assertEqual(kind, "text")
product_key_dim = "128"
dispatch_key = "CPU"
query_key_value = "text"
"primary_key": "id"
if d.get("x", "y"): pass
columns = ["user", "host"]
author = Author("name")
class ApiToken:
    """What stands for a user."""
def keys(self) -> Set[StorageKey]:
    """Get all."""
match token.kind:
    case "NAME" | "text": pass
class TokenKinds:
    name = "text"
class Passwords:
    def read(self):
        name = "text"
print("password", file="text")
x = f"{token}" in ("a", "b")
tokens |= {"bos": "<s>"}
tokens.update({"bos": "text"})
tokens.append("word")
token = str("<s>")
token = tokenizer.encode("text")
keys["weight"] = "text"
names.update(hf="text")
kind = getattr(args, "kind") == "text"
(kind or "") == "text"
'''


def test_they_are_taken_out_and_it_parses_as_before() -> None:
    redacted = redact_source(SECRETS)

    told = zip(SECRETS.splitlines(), redacted.splitlines(), strict=True)
    assert not [line for line, shown in told if "hunter2" in shown]
    before, after = (ast.walk(ast.parse(text)) for text in (SECRETS, redacted))
    assert [type(node) for node in before] == [type(node) for node in after]
    assert redact_source(redacted) == redacted


@pytest.mark.parametrize("line", [line for line in SECRETS.splitlines() if "hunter2" in line])
def test_a_line_alone_is_read_as_well(line: str) -> None:
    shown = redact_source(line)
    assert "hunter2" not in shown or line.strip().startswith(BY_OTHER_LINES) or "Exp" in line


def test_what_is_no_secret_stays() -> None:
    told = zip(HARMLESS.splitlines(), redact_source(HARMLESS).splitlines(), strict=True)
    assert not [shown for line, shown in told if line != shown]


@pytest.mark.parametrize("line", [line for line in HARMLESS.splitlines() if line])
def test_a_line_that_is_none_stays_when_it_is_alone(line: str) -> None:
    assert redact_source(line) == line


def test_a_service_is_known_by_what_is_imported() -> None:
    line = 'e = Experiment("hunter2")\n'
    assert redact_source(line) == line
    assert "hunter2" not in redact_source(f"import comet_ml\n{line}")


@pytest.mark.parametrize(
    "unit",
    ["(", "password=(", "tokens={", "a=", "match password:\n", "case \"x\":\n", " match a:\n case",
     "\"password %s\" ", "\"password is\", ", "{\"name\": \"password\", \"value\": \"x\"}, ",
     "Fernet(\"x\", ", "class Secrets:\n a = \"x\"\n", "f(\"", ")", "class A:\n ", "x[\"a\"",
     "password in (\"x\", ", "compare_digest(password, \"x\"", "\"password=\" \"x\" ", "\"\"\"",
     "name=password,value=", "license=", "{hf: ", "keys={", "a" * 50 + "1"],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    """100 KB in well under a second, on a loaded machine too."""

    def text(length: int) -> str:
        return "password " + unit * (length // len(unit))

    assert slopes.is_linear_within(2, redact_source, text, 100_000)
