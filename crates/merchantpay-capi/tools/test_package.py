"""Installs the archive and the Debian packages like a new user, for tools/release/test-packages. The Debian
packages need root."""

import os
import time

from package_user import ROOT, User, blocks, need, need_paid, packed, run


def test_c(archives, work, settings):
    with User(settings, archives) as user:
        printed, took = user.follow("docs/c.md", {"c": "pay.c"})
        need_paid(printed, 1)
        needed = run(["ldd", user.folder / "shop/pay"])
        need("merchantpay" not in needed, f"the program needs a library:\n{needed}")
        # Builds with the shared library as the archive's page says, and runs the program of the archive.
        shared = "cc pay.c -o shared $(pkg-config --libs --cflags merchantpay) -Wl,-rpath,$PWD/lib && ./shared && bin/merchantpay --version"
        need_paid(user.run(["sh", "-c", shared], "shop", PKG_CONFIG_PATH=str(user.folder / "shop/lib/pkgconfig")), 1)
        pages = ("bash-completion/completions/merchantpay", "man/man1/merchantpay-journal-settle.1")
        missing = [page for page in pages if not (user.folder / "shop/share" / page).is_file()]
        need(not missing, f"the archive lacks {missing}")
    return took


def test_debian(archives, work, settings):
    packages = packed(archives, "debian", ROOT / "tools/release/debian", "linux-x86_64", archives / "debian")
    (package,) = packages.glob("merchantpay_*_amd64.deb")
    contents = run(["dpkg-deb", "--contents", package])
    materials = "doc/merchantpay/x86_64-linux-gnu.cdx.json"
    for page in ("bash-completion/completions/merchantpay", "zsh/vendor-completions/_merchantpay", "man/man1/merchantpay.1.gz", materials):
        need(f"/usr/share/{page}\n" in contents, f"the Debian package lacks {page}:\n{contents}")
    with User(settings, archives) as user:
        (program,) = [text for kind, text in blocks("docs/c.md") if kind == "c"]
        (user.folder / "pay.c").write_text(program + "\n")
        ((_, commands),) = blocks("docs/c.md", "Debian and Ubuntu")
        commands = commands.replace("/srv/merchantpay", str(archives)).replace("sudo ", "")
        layers = [user.folder / name for name in ("upper", "work", "root")]
        for layer in layers:
            layer.mkdir()
        # A separate file system on top of this one, so that the installed files exist only in the separate one.
        system = "mount -t overlay overlay -o lowerdir=/,upperdir={},workdir={} {}; mount --rbind /dev {}/dev; mount -t proc proc {}/proc".format(
            *layers, layers[2], layers[2]
        )
        script = f"set -e; {system}; exec chroot {layers[2]} sh -ec 'cd {user.folder}; {commands}; ldd pay'"
        administrator = [] if os.geteuid() == 0 else ["sudo", "--preserve-env"]
        began = time.monotonic()
        printed = user.run([*administrator, "unshare", "--mount", "sh", "-c", script], PATH="/usr/sbin:/usr/bin:/sbin:/bin")
        took = int(time.monotonic() - began)
        need_paid(printed, 1)
        need(
            "libmerchantpay.so.0 => /lib/" in printed or "libmerchantpay.so.0 => /usr/lib/" in printed,
            f"another library is loaded:\n{printed}",
        )
    return took


PARTS = {"c": test_c, "debian": test_debian}
