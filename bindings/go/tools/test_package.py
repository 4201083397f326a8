"""Builds programs with the Go modules as a new user does; for tools/release/test-packages."""

from package_user import ROOT, TARGET, User, need, need_paid, packed, run
from packing import PLATFORMS

NO_LIBRARY = "merchantpay_has_no_library_for_this_platform__install_it_and_build_with_the_tag_merchantpay_dynamic"


def test_go(archives, work, settings):
    registry = packed(archives, "go", ROOT / "bindings/go/tools/package", archives)
    zips = sorted(registry.glob("**/*.zip"))
    need(len(zips) == 1 + len(PLATFORMS), f"other modules than one a platform: {zips}")
    for module in zips:
        need(module.stat().st_size < 10_000_000, f"{module} has {module.stat().st_size} bytes")
        licences = run(["unzip", "-Z1", module])
        need("/LICENSE-MIT" in licences and "/LICENSE-APACHE" in licences, f"{module} has no licence")
        library = "/internal/lib/" in str(module)
        for file in ("/LICENSE-THIRD-PARTY\n", "/merchantpay.cdx.json\n", ".a\n"):
            need((file in licences) == library, f"{module} has not what it needs:\n{licences}")

    # Other projects' modules come from Go's cache, so that no network is needed.
    cache = run(["go", "env", "GOMODCACHE"]).strip()
    run(["go", "mod", "download", "github.com/shopspring/decimal"], cwd=ROOT / "bindings/go")
    with User(settings, archives) as user:
        user.environment["GOSUMDB"] = "off"
        user.environment["GOPROXY"] = f"file://{cache}/cache/download"
        printed, took = user.follow("bindings/go/README.md", {"go": "main.go"})
        need_paid(printed, 1)
        needed = run(["ldd", user.folder / "shop/shop"])
        need("merchantpay" not in needed, f"the program needs a library:\n{needed}")
        for processor, emulator, root in (("arm64", "qemu-aarch64", "aarch64-linux-gnu"), ("arm", "qemu-arm", "arm-linux-gnueabihf")):
            need_paid(user.run([emulator, "-L", f"/usr/{root}", f"shop/shop-{processor}"]), 1)

        run([ROOT / "tools/help/environment", TARGET / "targets/zig", "python3", ROOT / "tools/release/target-requirements.txt"])
        registries = f"file://{registry},file://{cache}/cache/download"
        go = {"GOPROXY": registries, "CGO_ENABLED": "1"}
        musl = compiler(work, "x86_64-linux-musl")
        user.run(["go", "build", "-tags", "merchantpay_musl", "-o", "shop-musl"], "shop", **go, CC=musl)
        need("ld-musl" in run(["readelf", "-l", user.folder / "shop/shop-musl"]), "it is not for musl")
        need_paid(user.run(["shop/shop-musl"]), 1)
        # The program is static, because this machine has no dynamic loader for the other processor.
        static = ["go", "build", "-tags", "merchantpay_musl", "-ldflags", "-linkmode external -extldflags -static", "-o", "shop-static"]
        user.run(static, "shop", **go, GOARCH="arm64", CC=compiler(work, "aarch64-linux-musl"))
        need("INTERP" not in run(["readelf", "-l", user.folder / "shop/shop-static"]), "it is not static")
        need_paid(user.run(["qemu-aarch64", "shop/shop-static"]), 1)

        for processor, mingw, wine in (("amd64", "x86_64", "wine64"), ("386", "i686", "wine32")):
            windows = {"GOOS": "windows", "GOARCH": processor, "CC": f"{mingw}-w64-mingw32-gcc-posix"}
            user.run(["go", "build", "-ldflags", "-extldflags -static", "-o", f"shop-{processor}.exe"], "shop", **go, **windows)
            need_paid(run_by_wine(user, wine, windows["CC"], f"shop/shop-{processor}.exe"), 1)

        # Each of these builds cannot succeed. After the package's name, the compiler prints one line with the
        # error.
        for tags, environment, wanted in (
            ("", {"CGO_ENABLED": "0"}, "undefined: merchantpay_needs_cgo__set_CGO_ENABLED_1_and_install_a_C_compiler"),
            ("", {"CC": musl}, "this C compiler is not for glibc: build with -tags merchantpay_musl"),
            ("merchantpay_musl", {}, "this C compiler is for glibc: build without the tag merchantpay_musl"),
            ("merchantpay_musl", {"GOARCH": "arm", "CC": "arm-linux-gnueabihf-gcc"}, f"undefined: {NO_LIBRARY}"),
        ):
            try:
                said = user.run(["go", "build", "-tags", tags], "shop", **{**go, **environment})
            except RuntimeError as error:
                said = str(error)
            need(wanted in said, f"a build that cannot succeed says:\n{said}")
            need(said.count("\n# ") == 1, f"it says more than that:\n{said}")

        user.run(["go", "mod", "vendor"], "shop", **go)
        user.run(["go", "build", "-o", "shop-vendored"], "shop", GOPROXY="off", CGO_ENABLED="1")
        need_paid(user.run(["shop/shop-vendored"]), 1)
    return took


def run_by_wine(user, wine, compiler, program):
    """Runs a Go program by wine. Go's runtime needs a DLL of Windows 10 that wine 8 lacks, so a replacement
    exists while the program runs."""
    here = {"CARGO_TARGET_DIR": str(TARGET)}
    user.run([ROOT / "tools/windows/wine", wine, "cmd", "/c", "ver"], **here)
    lacking = TARGET / f"targets/{wine}-prefix/drive_c/windows/system32/bcryptprimitives.dll"
    source = ROOT / "tests/packages/bcryptprimitives.c"
    run([compiler, "-shared", "-Wall", "-Wextra", "-Werror", "-Wl,--kill-at", "-o", lacking, source, "-ladvapi32"])
    try:
        return user.run([ROOT / "tools/windows/wine", wine, program], **here)
    finally:
        lacking.unlink()


def compiler(work, target):
    """A C compiler for musl. Like Alpine's, it links an unwinder automatically."""
    script = work / target
    script.write_text(f"""#!/bin/sh
linkage="-dynamic -lunwind"
case " $* " in *" -static "*) linkage=-lunwind ;; *" -c "* | *" -E "* | *" -S "*) linkage= ;; esac
exec "{TARGET}/targets/zig/bin/python" -m ziglang cc -target {target} "$@" $linkage
""")
    script.chmod(0o755)
    return str(script)


PARTS = {"go": test_go}
