"""What the wheels have: documented names, licences, and the program in a wheel of its own."""

import importlib.metadata
import pathlib
import re
import shutil
import subprocess
import sys

import merchantpay
import pytest
from merchantpay import _program


def test_public_names_are_documented_and_in_the_public_module():
    assert len(merchantpay.__doc__) > 500 and (pathlib.Path(merchantpay.__file__).parent / "py.typed").exists()
    for name in set(merchantpay.__all__) - {"Event", "__version__"}:
        thing = getattr(merchantpay, name)
        assert len(thing.__doc__ or "") > 20, name
        assert thing.__module__ == "merchantpay" or not isinstance(thing, type), name
        for member, value in vars(thing).items() if isinstance(thing, type) and not issubclass(thing, (str, Exception)) else ():
            # A value's fields have their documentation beside them in the source.
            fields = getattr(thing, "_fields", getattr(thing, "__dataclass_fields__", ()))
            if not member.startswith("_") and member not in fields:
                assert len(value.__doc__ or "") > 10, f"{name}.{member}"


def test_readme_names_the_class_of_every_code():
    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
    for code, kind in merchantpay._generated.error_classes.CLASSES.items():
        assert re.search(rf"^\| `{kind.__name__}`.* \| `{code}` \|", readme, re.MULTILINE), code


@pytest.mark.wheel
def test_module_runs_program_of_same_version():
    made = subprocess.run([sys.executable, "-m", "merchantpay", "--version"], capture_output=True, text=True, timeout=60)
    assert (made.returncode, made.stdout.strip()) == (0, f"merchantpay {merchantpay.__version__}")
    assert subprocess.run([sys.executable, "-m", "merchantpay", "nonsense"], capture_output=True, timeout=60).returncode == 2
    wanted = [text.replace(" ", "") for text in importlib.metadata.requires("merchantpay")]
    assert [text.partition(";")[0] for text in wanted] == [f"merchantpay-program=={merchantpay.__version__}"]


@pytest.mark.wheel
def test_library_works_without_the_program(tmp_path):
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
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"merchantpay: {_program.MISSING}\n")


@pytest.mark.wheel
@pytest.mark.parametrize("package, crates", [("merchantpay", ["pyo3", "ring", "ureq"]), ("merchantpay-program", ["axum", "clap", "tokio"])])
def test_wheel_has_third_party_licences(package, crates):
    files = {file.name: file for file in importlib.metadata.files(package)}
    text = files["LICENSE-THIRD-PARTY"].read_text()
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= files.keys() and not [crate for crate in crates if f"\n==== {crate} v" not in text]
