"""`merchantpay[sandbox]` installs the program, in a separate wheel. The library works without the program."""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys

import merchantpay
import pytest
from conftest import MODULE, PROGRAM
from merchantpay import _program


def run(*arguments, env=None, **others):
    env = {**os.environ, **(env or {})}
    return subprocess.run([PROGRAM, *arguments], capture_output=True, encoding="utf-8", timeout=60, env=env, **others)


def test_the_program_is_the_one_of_the_command_line_crate():
    made = run("keygen")
    pair = json.loads(made.stdout)
    assert made.returncode == 0 and set(pair) == {"privateKey", "publicKey"}
    merchantpay.Protocol("https://pay.example", "m", pair["privateKey"], merchantpay.generate_keypair().public_key)
    assert run("--version").stdout.strip() == f"merchantpay {merchantpay.__version__}"


def test_the_module_is_the_program():
    made = subprocess.run([*MODULE, "keygen"], capture_output=True, timeout=60)
    assert made.returncode == 0 and set(json.loads(made.stdout)) == {"privateKey", "publicKey"}
    assert subprocess.run([*MODULE, "nonsense"], capture_output=True, timeout=60).returncode == 2


@pytest.mark.wheel
def test_the_extra_is_the_program_of_the_same_version():
    wanted = [text.replace(" ", "") for text in importlib.metadata.requires("merchantpay")]
    assert [text.partition(";")[0] for text in wanted] == [f"merchantpay-program=={merchantpay.__version__}"]
    assert importlib.metadata.version("merchantpay-program") == merchantpay.__version__


@pytest.mark.wheel
def test_the_library_alone_works_and_says_what_its_program_needs(tmp_path):
    files = importlib.metadata.files("merchantpay")
    assert not {"merchantpay", "merchantpay.exe"} & {file.name for file in files}
    for file in files:
        if file.parts[0].startswith("merchantpay") and "__pycache__" not in file.parts:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.locate(), tmp_path / file)
    # The interpreter runs without this environment's packages, because they include the program.
    alone = {"cwd": tmp_path, "env": {"PYTHONPATH": str(tmp_path)}, "capture_output": True, "text": True, "timeout": 60}
    imported = subprocess.run([sys.executable, "-S", "-c", "import merchantpay; merchantpay.generate_keypair()"], **alone)
    assert (imported.returncode, imported.stdout, imported.stderr) == (0, "", "")
    ran = subprocess.run([sys.executable, "-S", "-m", "merchantpay", "sandbox"], **alone)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"merchantpay: {_program.MISSING}\n"
    assert "pip install" not in ran.stderr  # The text must not suggest it, because no package index has this project.


def test_exit_statuses_come_through(sandbox):
    created = run("new", "--sum", "1500.50", "--payment-method", "sbp", "--customer-account", "1", env=sandbox)
    assert created.returncode == 0 and json.loads(created.stdout)["sum"] == 1500.5
    refused = run("cancel", "sb-000000000000000000000000", env=sandbox)
    assert (refused.returncode, json.loads(refused.stderr)["error"]["code"]) == (1, "rejected")
    for status, arguments in [(2, ("status",)), (2, ("nonsense",)), (3, ("status", "o-1", "--base-url", "http://127.0.0.1:1"))]:
        assert run(*arguments, env=sandbox).returncode == status
    body = run("webhook", "verify", "--signature", "x", env=sandbox, input="{}")
    assert body.returncode == 5


@pytest.mark.wheel
@pytest.mark.parametrize(
    "package, crates",
    [
        ("merchantpay", ("ed25519-dalek", "pyo3", "ring", "rustls", "ureq")),
        ("merchantpay-program", ("axum", "clap", "ed25519-dalek", "ring", "tokio")),
    ],
)
def test_a_wheel_hands_on_the_licences_of_what_it_holds(package, crates):
    files = importlib.metadata.files(package)
    texts = [file for file in files if file.name == "LICENSE-THIRD-PARTY"]
    assert len(texts) == 1
    text = texts[0].read_text()
    for crate in crates:
        assert f"\n==== {crate} v" in text
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= {file.name for file in files}
