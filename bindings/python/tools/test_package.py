"""Installs the wheels as a new user does; for tools/release/test-packages."""

import pathlib
import shutil

from package_user import ROOT, User, need, need_paid, released, run


def test_python(archives, work, settings):
    release = released(archives, work, "python", [ROOT / "bindings/python/tools/wheel", "--to", work / "release/python", "linux-x86_64"])
    for packed in (release / "python").glob("*.whl"):
        names = run(["unzip", "-Z1", packed])
        for file in ("/licenses/LICENSE-THIRD-PARTY\n", "/sboms/merchantpay.cdx.json\n"):
            need(file in names, f"{packed} lacks {file}:\n{names}")
    with User(settings, release) as user:
        user.environment["PATH"] = f"{pathlib.Path(shutil.which('python3')).parent}:{user.environment['PATH']}"
        # Another program may already use the port that the page names.
        printed, took = user.follow(
            "bindings/python/README.md", {"python": "pay.py"}, [("merchantpay sandbox", "merchantpay sandbox --port 0")]
        )
        need_paid(printed, 1)
    return took


PARTS = {"python": test_python}
