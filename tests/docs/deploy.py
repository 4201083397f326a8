"""Checks the files of docs/deploy with the programs that read them."""

import pathlib
import re
import subprocess
import tempfile

from common import BUILT, ROOT, fail, run

DEPLOY = ROOT / "docs/deploy"


def check_units(folder, files):
    # systemd checks that a unit's programs exist, so the units get the path of the built program.
    for unit in files:
        (folder / unit.name).write_text(re.sub(r"^(Exec\w+=)\S+", rf"\1{BUILT}/merchantpay", unit.read_text(), flags=re.MULTILINE))
    for unit in files:
        said = run(["systemd-analyze", "verify", "--man=no", folder / unit.name])
        if unit.name in said:
            fail(unit.relative_to(ROOT), said)


def check_nginx(folder, files):
    (file,) = files
    certificate, key = folder / "shop.pem", folder / "shop.key"
    request = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=shop.example -days 1"
    run([*request.split(), "-out", certificate, "-keyout", key])
    server = file.read_text().replace("/etc/ssl/shop.example.pem", str(certificate))
    (folder / "server.conf").write_text(server.replace("/etc/ssl/private/shop.example.key", str(key)))
    main = folder / "main.conf"
    main.write_text(f"pid {folder}/pid;\nerror_log {folder}/log;\nevents {{ }}\nhttp {{\ninclude {folder}/server.conf;\n}}\n")
    run(["/usr/sbin/nginx", "-t", "-e", folder / "log", "-c", main])


def check_fpm(folder, files):
    (pool,) = files
    fpm = sorted(pathlib.Path("/usr/sbin").glob("php-fpm*"))[-1]
    main = folder / "fpm.conf"
    main.write_text(f"[global]\nerror_log = {folder}/fpm.log\ninclude = {pool}\n")
    # In an ini file, a value without quotes ends at the first special character. So php-fpm must print every value whole.
    shown = run([fpm, "-y", main, "-tt"])
    for variable, value in re.findall(r'^env\[(\w+)\] = "(.*)"$', pool.read_text(), re.MULTILINE):
        if f"env[{variable}] = {value}\n" not in shown:
            fail(pool.relative_to(ROOT), f"php-fpm reads another {variable}")
    for line in re.findall(r"^env.*$", pool.read_text(), re.MULTILINE):
        if not re.fullmatch(r'env\[MERCHANTPAY_\w+\] = ".*"', line):
            fail(pool.relative_to(ROOT), f"its value is not in quotes: {line}")
    (folder / "pool.conf").write_text(re.sub(r'^(env.*)"(.*=)"$', r"\1\2", pool.read_text(), flags=re.MULTILINE))
    main.write_text(f"[global]\nerror_log = {folder}/fpm.log\ninclude = {folder}/pool.conf\n")
    if subprocess.run([fpm, "-y", main, "-t"], capture_output=True).returncode == 0:
        fail(pool.relative_to(ROOT), "php-fpm reads base64 without quotes: the comment is wrong")


def check_python(_, files):
    for file in files:
        compile(file.read_text(), file.name, "exec")


def check_ini(_, files):
    known = run(["php", "-dopcache.enable_cli=1", "-r", 'echo implode("\\n", array_keys(ini_get_all()));']).split("\n")
    known += ["opcache.preload", "opcache.preload_user"]
    for file in files:
        for name in re.findall(r"^([^;\s=]+)\s*=", file.read_text(), re.MULTILINE):
            if name not in known:
                fail(file.relative_to(ROOT), f"no setting of PHP: {name}")


def check_environments(_, files):
    settings = (ROOT / "docs/settings.md").read_text()
    dependencies = (ROOT / "crates/merchantpay/tests/protocol/logs.rs").read_text()
    for file in files:
        for variable, value in re.findall(r"^(\w+)=(.*)$", file.read_text(), re.MULTILINE):
            targets = re.findall(r"(\w+)=", value) if variable == "RUST_LOG" else []
            known = variable == "RUST_LOG" or variable in settings
            if not known or not all(re.search(rf"\b{target}::", dependencies) for target in targets):
                fail(file.relative_to(ROOT), f"{variable}={value} has a name that nothing has")


def check_dockerfile(_, files):
    for line in re.sub(r"\\\n", " ", files[0].read_text()).split("\n"):
        if not re.match(r"$|#|(FROM|RUN|COPY|WORKDIR|ENV|USER|ENTRYPOINT|CMD|STOPSIGNAL|EXPOSE) ", line):
            fail(files[0].relative_to(ROOT), f"cannot be read: {line}")


CHECKS = {
    r".*\.(service|timer)": check_units,
    r"nginx\.conf": check_nginx,
    r"php-fpm\.conf": check_fpm,
    r".*\.py": check_python,
    r".*\.ini": check_ini,
    r".*\.env": check_environments,
    r"Dockerfile": check_dockerfile,
    r"merchantpay\.cron": lambda *_: None,  # services.py runs its lines.
}


def check_deploy():
    files = sorted(DEPLOY.iterdir())
    for file in files:
        if not any(re.fullmatch(name, file.name) for name in CHECKS):
            fail(file.relative_to(ROOT), "nothing checks it")
    with tempfile.TemporaryDirectory() as folder:
        for name, check in CHECKS.items():
            check(pathlib.Path(folder), [file for file in files if re.fullmatch(name, file.name)])
    return f"{len(files)} files"
