"""Checks the commands in the Go package's README that build a program from the package's sources."""

import pathlib
import re
import shutil
import tempfile

from common import ROOT, fail, library, run, sandbox
from page import blocks


def check_go():
    """Without a network."""
    mine = ("checked by", str(pathlib.Path(__file__).relative_to(ROOT)))
    (commands,) = (block.text for block in blocks(ROOT / "bindings/go/README.md") if block.mark == mine)
    with tempfile.TemporaryDirectory() as name, sandbox(name) as settings:
        shop = pathlib.Path(name, "shop")
        shop.mkdir()
        shutil.copy(ROOT / "examples/go/first/main.go", shop)
        script = "go mod init example.com/shop\n" + commands.replace("…", str(ROOT))
        environment = {**settings, **library(), "GOPROXY": "off", "GOFLAGS": "-mod=readonly"}
        try:
            run(["bash", "-euc", script], cwd=shop, env=environment)
            printed = run([shop / "shop"], env=environment)
            if not re.fullmatch(r"pay 1500\.50 to \d+\ndoneSuccess 1500\.50\n", printed):
                fail("bindings/go/README.md", printed)
        except RuntimeError as error:
            fail("bindings/go/README.md", error)
    return "1 program"
