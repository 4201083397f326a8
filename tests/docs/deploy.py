"""Checks the files of docs/deploy with the programs that read them."""

import pathlib
import re
import subprocess
import tempfile

from common import BUILT, ROOT, fail, run


def check_deploy():
    """Checks the files of docs/deploy with the programs that read them."""
    deploy, checked = ROOT / "docs/deploy", set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        units = sorted([*deploy.glob("*.service"), *deploy.glob("*.timer")])
        # systemd checks that a unit's programs exist, so the units get the path of the built program.
        for unit in units:
            text = re.sub(r"^(Exec\w+=)\S+", rf"\1{BUILT}/merchantpay", unit.read_text(), flags=re.MULTILINE)
            (folder / unit.name).write_text(text)
        for unit in units:
            said = run(["systemd-analyze", "verify", "--man=no", folder / unit.name])
            if unit.name in said:
                fail(unit.relative_to(ROOT), said)
            checked.add(unit.name)

        certificate, key = folder / "shop.pem", folder / "shop.key"
        run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-subj",
                "/CN=shop.example",
                "-days",
                "1",
                "-out",
                certificate,
                "-keyout",
                key,
            ]
        )
        server = (deploy / "nginx.conf").read_text()
        server = server.replace("/etc/ssl/shop.example.pem", str(certificate)).replace("/etc/ssl/private/shop.example.key", str(key))
        (folder / "server.conf").write_text(server)
        (folder / "nginx.conf").write_text(
            f"pid {folder}/nginx.pid;\nerror_log {folder}/nginx.log;\nevents {{ }}\nhttp {{\ninclude {folder}/server.conf;\n}}\n"
        )
        run(["/usr/sbin/nginx", "-t", "-e", folder / "nginx.log", "-c", folder / "nginx.conf"])
        checked.add("nginx.conf")

        fpm = sorted(pathlib.Path("/usr/sbin").glob("php-fpm*"))[-1]
        (folder / "fpm.conf").write_text(f"[global]\nerror_log = {folder}/fpm.log\ninclude = {deploy}/php-fpm.conf\n")
        pool = (deploy / "php-fpm.conf").read_text()
        run([fpm, "-y", folder / "fpm.conf", "-t"])
        # In an ini file, a value without quotes ends at the first special character. So php-fpm must print every value whole.
        shown = run([fpm, "-y", folder / "fpm.conf", "-tt"])
        for variable, value in re.findall(r'^env\[(\w+)\] = "(.*)"$', pool, re.MULTILINE):
            if f"env[{variable}] = {value}\n" not in shown:
                fail("docs/deploy/php-fpm.conf", f"php-fpm reads another {variable}")
        (folder / "pool.conf").write_text(re.sub(r'^(env.*)"(.*=)"$', r"\1\2", pool, flags=re.MULTILINE))
        (folder / "fpm.conf").write_text(f"[global]\nerror_log = {folder}/fpm.log\ninclude = {folder}/pool.conf\n")
        if subprocess.run([fpm, "-y", folder / "fpm.conf", "-t"], capture_output=True).returncode == 0:
            fail("docs/deploy/php-fpm.conf", "php-fpm reads base64 without quotes: the comment is wrong")
        for line in re.findall(r"^env.*$", pool, re.MULTILINE):
            if not re.fullmatch(r'env\[MERCHANTPAY_\w+\] = ".*"', line):
                fail("docs/deploy/php-fpm.conf", f"its value is not in quotes: {line}")
        checked.add("php-fpm.conf")

        compile((deploy / "gunicorn.conf.py").read_text(), "gunicorn.conf.py", "exec")
        checked.add("gunicorn.conf.py")

        known = {
            line.split("=")[0].strip()
            for line in run(["php", "-dopcache.enable_cli=1", "-r", 'echo implode("\\n", array_keys(ini_get_all()));']).split("\n")
        }
        for line in (deploy / "php.ini").read_text().split("\n"):
            if (
                "=" in line
                and not line.startswith(";")
                and line.split("=")[0].strip() not in known | {"opcache.preload", "opcache.preload_user"}
            ):
                fail("docs/deploy/php.ini", f"no setting of PHP: {line}")
        checked.add("php.ini")

        settings, dependencies = (
            (ROOT / "docs/settings.md").read_text(),
            (ROOT / "crates/merchantpay/tests/protocol/logs.rs").read_text(),
        )
        for file in deploy.glob("*.env"):
            for variable, value in re.findall(r"^(\w+)=(.*)$", file.read_text(), re.MULTILINE):
                targets = re.findall(r"(\w+)=", value) if variable == "RUST_LOG" else []
                known = variable == "RUST_LOG" or variable in settings
                if not known or not all(re.search(rf"\b{target}::", dependencies) for target in targets):
                    fail(file.relative_to(ROOT), f"{variable}={value} has a name that nothing has")
            checked.add(file.name)

        for line in re.sub(r"\\\n", " ", (deploy / "Dockerfile").read_text()).split("\n"):
            if (
                line
                and not line.startswith("#")
                and not re.match(r"(FROM|RUN|COPY|WORKDIR|ENV|USER|ENTRYPOINT|CMD|STOPSIGNAL|EXPOSE) ", line)
            ):
                fail("docs/deploy/Dockerfile", f"cannot be read: {line}")
        checked.add("Dockerfile")
    checked.add("merchantpay.cron")  # services.py runs its lines
    for file in deploy.iterdir():
        if file.name not in checked:
            fail(file.relative_to(ROOT), "nothing checks it")
    return f"{len(checked)} files"
