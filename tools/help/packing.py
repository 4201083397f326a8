"""What the packages of PHP and C# contain: the shared libraries of the archives of tools/release/dist. The same files become the same bytes."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def printed(*command):
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


VERSION = printed("tools/help/define", "MPAY_HEADER_VERSION").decode().strip()


def libraries(archives, platforms):
    """Yields for each platform, by its name in the package: the content of its library, its licences and its bill of materials."""
    rust_names = dict(re.findall(r"^([a-z]\S*)\s+(\S+)", (ROOT / "tools/release/targets").read_text(), re.MULTILINE))
    for target, platform in platforms.items():
        windows = target.startswith("windows")
        archive = archives / f"merchantpay-{VERSION}-{target}.{'zip' if windows else 'tar.gz'}"
        if not archive.is_file():
            sys.exit(f"{archive} is missing: tools/release/dist --to {archives} {target}")
        with tempfile.TemporaryDirectory() as folder:
            shutil.unpack_archive(archive, folder)
            (unpacked,) = pathlib.Path(folder).iterdir()
            for header in ("merchantpay.ffi.h", "merchantpay.json"):
                if (unpacked / "include" / header).read_bytes() != (ROOT / "include" / header).read_bytes():
                    sys.exit(f"{archive} is not of these sources: its {header} differs")
            library = (unpacked / ("bin/merchantpay.dll" if windows else "lib/libmerchantpay.so.0")).read_bytes()
        holder = ("merchantpay-capi", rust_names[target])
        yield platform, library, printed("tools/release/third-party", *holder), printed("tools/release/bill-of-materials", *holder)


def write(made, top, files, executable=()):
    """Writes a zip of the files, by their names in the folder `top`."""
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as stage:
        for name, content in files.items():
            file = pathlib.Path(stage, top, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o755 if name in executable else 0o644)
        made.write_bytes(printed("tools/help/zip", stage, top, printed("tools/help/release-time").decode().strip()))
    print(f"{made.stat().st_size} {made}")
