"""Installs the Composer package as a new user does; for tools/release/test-packages."""

import re
import shutil

from package_user import ROOT, User, need, need_paid, packed, run
from packing import PLATFORMS

LOADED = """require 'vendor/autoload.php'; MerchantPay\\Ffi\\Library::version();
preg_match('~/\\S*libmerchantpay\\S*~', file_get_contents('/proc/self/maps'), $found); echo $found[0];"""
SAID = """require 'vendor/autoload.php';
try { MerchantPay\\Keypair::generate(); } catch (MerchantPay\\Exception\\LibraryException $error) { echo $error->getMessage(); }"""


def test_php(archives, work, settings):
    (package,) = packed(archives, "php", ROOT / "bindings/php/tools/package", archives).iterdir()
    names = run(["unzip", "-Z1", package]).split()
    library = r"/lib/(linux-[a-z0-9_]+-(glibc|musl)/libmerchantpay\.so\.0|windows-[a-z0-9_]+/merchantpay\.dll)$"
    libraries = [name for name in names if re.search(library, name)]
    need(len(libraries) == len(PLATFORMS), f"other libraries than one a platform: {libraries}")
    need(sum(name.endswith("/merchantpay.cdx.json") for name in names) == len(PLATFORMS), "a library has no bill of materials")
    need(not any("/tests/" in name for name in names), "the package has the tests")

    with User(settings, archives) as user:
        user.environment["COMPOSER_ALLOW_SUPERUSER"] = "1"
        printed, took = user.follow("bindings/php/README.md", {"php": "pay.php"})
        need_paid(printed, 1)
        loaded = user.run(["php", "-r", LOADED], "shop")
        platform = re.fullmatch(r"\S+/shop/vendor/merchantpay/merchantpay/lib/(\S+)/libmerchantpay\.so\.0", loaded)
        need(platform, f"another library is loaded:\n{loaded}")

        # Checks the error on a platform without a library.
        shutil.rmtree(user.folder / "shop/vendor/merchantpay/merchantpay/lib" / platform[1])
        said = user.run(["php", "-r", SAID], "shop")
        need(f"the C library for {platform[1]} was not found, neither in " in said and "MERCHANTPAY_LIBRARY" in said, f"it says: {said}")
        library = work / "archive/lib/libmerchantpay.so"
        need_paid(user.run(["php", "pay.php"], "shop", MERCHANTPAY_LIBRARY=str(library)), 1)
    return took


PARTS = {"php": test_php}
