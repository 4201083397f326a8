//! The languages of the processes. Builds and starts the program of each language, with libraries that are
//! built without optimisation.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use super::store::Kind;
use crate::AnyResult;

/// A language of a process.
pub(crate) struct Language {
    pub(crate) name: &'static str,
    /// The kinds of stores that a process in this language can use.
    stores: &'static [&'static str],
    build: fn(&Workshop) -> AnyResult<Program>,
}

const ALL: [Language; 5] = [
    Language { name: "rust", stores: &["sqlite", "postgresql", "pgbouncer", "mariadb"], build: rust },
    Language { name: "c", stores: &["postgresql", "pgbouncer", "mariadb"], build: c },
    Language { name: "python", stores: &["postgresql", "pgbouncer"], build: python },
    Language { name: "php", stores: &["postgresql", "pgbouncer"], build: php },
    Language { name: "go", stores: &["postgresql", "pgbouncer"], build: go },
];

/// The command that starts a process.
pub(crate) struct Program {
    pub(crate) language: &'static str,
    words: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
}

impl Program {
    pub(crate) fn command(&self) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or_else(OsString::new, Clone::clone));
        command.args(words).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn new(words: impl IntoIterator<Item: Into<OsString>>) -> Program {
        Program { language: "", words: words.into_iter().map(Into::into).collect(), environment: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Program {
        self.environment.push((name, value.into()));
        self
    }
}

/// A comma-separated list of languages.
pub(crate) struct Languages(Vec<Language>);

impl Default for Languages {
    fn default() -> Languages {
        Languages(ALL.into_iter().take(1).collect())
    }
}

impl FromStr for Languages {
    type Err = String;

    fn from_str(names: &str) -> Result<Languages, String> {
        let one = |name: &str| {
            let known = ALL.map(|language| language.name);
            let found = ALL.into_iter().find(|language| language.name == name);
            found.ok_or_else(|| format!("{name:?} is not one of {}", known.join(", ")))
        };
        names.split(',').map(one).collect::<Result<_, _>>().map(Languages)
    }
}

impl Languages {
    /// Builds the program of each language in this folder.
    pub(crate) fn build(&self, folder: &Path, kind: Kind) -> AnyResult<Vec<Program>> {
        let workshop = Workshop::new(folder)?;
        let build = |language: &Language| {
            if !language.stores.contains(&kind.name()) {
                return Err(format!("{} has no process over {}", language.name, kind.name()).into());
            }
            Ok(Program { language: language.name, ..(language.build)(&workshop)? })
        };
        self.0.iter().map(build).collect()
    }
}

/// Builds the program `merchantpay`.
#[cfg(feature = "servers")]
pub(crate) fn build_merchantpay(folder: &Path) -> AnyResult<PathBuf> {
    let workshop = Workshop::new(folder)?;
    run(&mut workshop.cargo_build("merchantpay-cli"))?;
    Ok(workshop.target.join("debug/merchantpay"))
}

/// The place where the programs are built.
struct Workshop {
    root: PathBuf,
    /// The target folder.
    target: PathBuf,
    libraries: PathBuf,
    folder: PathBuf,
}

impl Workshop {
    fn new(folder: &Path) -> AnyResult<Workshop> {
        let executable = std::env::current_exe()?;
        let target = executable.ancestors().nth(2).ok_or("a program without a target folder")?.to_owned();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        let folder = folder.join("programs");
        std::fs::create_dir_all(&folder)?;
        Ok(Workshop { root, libraries: target.join("soak/library"), target, folder })
    }

    fn source(&self, path: &str) -> PathBuf {
        self.root.join("tests/soak").join(path)
    }

    fn cargo_build(&self, package: &str) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root).args(["build", "--locked", "--quiet", "--package", package]);
        // These variables come from the cargo that runs this program. With them the new cargo would rebuild
        // ring and the crates that depend on it.
        let is_of_a_package =
            |name: &str| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|of| name.starts_with(of));
        for (name, _) in std::env::vars().filter(|(name, _)| is_of_a_package(name)) {
            command.env_remove(name);
        }
        command
    }

    /// The C library with its pkg-config file, like after an installation. All runs use one folder, because
    /// Go caches the link path. A process that already runs keeps the older library.
    fn c_library(&self) -> AnyResult<PathBuf> {
        run(&mut self.cargo_build("merchantpay-capi"))?;
        let name = concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR"));
        std::fs::create_dir_all(&self.libraries)?;
        let put = |name: &str, file: &Path| std::fs::rename(file, self.libraries.join(name));
        let new = self.libraries.join(format!("new-{}", std::process::id()));
        std::fs::copy(self.target.join("debug/libmerchantpay_capi.so"), &new)?;
        put(name, &new)?;
        std::os::unix::fs::symlink(name, &new)?;
        put("libmerchantpay.so", &new)?;
        let (folder, headers) = (self.libraries.display(), self.root.join("include"));
        let package = format!(
            "Name: merchantpay\nDescription: the library\nVersion: {}\nCflags: -I{}\n\
             Libs: -L{folder} -Wl,-rpath,{folder} -lmerchantpay\n",
            env!("CARGO_PKG_VERSION"),
            headers.display()
        );
        std::fs::write(&new, package)?;
        put("merchantpay.pc", &new)?;
        Ok(self.libraries.join(name))
    }
}

fn rust(_: &Workshop) -> AnyResult<Program> {
    Ok(Program::new([std::env::current_exe()?.into_os_string(), "worker".into()]))
}

fn c(workshop: &Workshop) -> AnyResult<Program> {
    workshop.c_library()?;
    let program = workshop.folder.join("worker-in-c");
    let mut flags = Command::new("pkg-config");
    flags.args(["--cflags", "--libs", "merchantpay", "libpq", "libmariadb", "libmicrohttpd"]);
    let flags = run(flags.env("PKG_CONFIG_PATH", &workshop.libraries))?;
    let mut compile = Command::new("cc");
    compile.args(["-std=c99", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread"]);
    compile.arg(workshop.source("c/worker.c")).arg("-o").arg(&program).args(flags.split_whitespace());
    run(&mut compile)?;
    Ok(Program::new([program]))
}

/// The package with the wheel's files and an unoptimised extension, and the driver, in its own environment.
fn python(workshop: &Workshop) -> AnyResult<Program> {
    run(workshop.cargo_build("merchantpay-python-module").env("PYO3_BUILD_EXTENSION_MODULE", "1"))?;
    let path = workshop.folder.join("python");
    let package = path.join("merchantpay");
    std::fs::create_dir_all(&package)?;
    for file in std::fs::read_dir(workshop.root.join("bindings/python/python/merchantpay"))? {
        let file = file?;
        if file.file_type()?.is_file() {
            std::fs::copy(file.path(), package.join(file.file_name()))?;
        }
    }
    std::fs::copy(workshop.target.join("debug/lib_merchantpay.so"), package.join("_merchantpay.abi3.so"))?;
    let environment = workshop.target.join("soak/python");
    let mut drivers = Command::new(workshop.root.join("tools/help/environment"));
    run(drivers.arg(&environment).arg("python3").arg(workshop.source("python/requirements.txt")))?;
    let words = [environment.join("bin/python"), workshop.source("python/worker.py")];
    Ok(Program::new(words).with("PYTHONPATH", path))
}

fn php(workshop: &Workshop) -> AnyResult<Program> {
    let library = workshop.c_library()?;
    let words = ["php".into(), workshop.source("php/worker.php")];
    Ok(Program::new(words).with("MERCHANTPAY_LIBRARY", library))
}

fn go(workshop: &Workshop) -> AnyResult<Program> {
    workshop.c_library()?;
    let program = workshop.folder.join("worker-in-go");
    let flags =
        run(Command::new(workshop.root.join("tools/help/cgo-flags")).arg(workshop.root.join("include")))?;
    // Go's build cache does not notice other flags of pkg-config, and would link the library of an earlier test.
    let flags = format!("{} -DLIBRARIES={}", flags.trim_end(), workshop.libraries.display());
    let go = || {
        let mut command = Command::new("go");
        command.current_dir(workshop.source("go")).env("PKG_CONFIG_PATH", &workshop.libraries);
        command.env("CGO_ENABLED", "1").env("GOFLAGS", "-mod=readonly -tags=merchantpay_dynamic");
        command.env("CGO_CFLAGS", &flags);
        command
    };
    run(go().args(["vet", "."]))?;
    run(go().args(["build", "-o"]).arg(&program).arg("."))?;
    Ok(Program::new([program]))
}

/// Runs a program that has to succeed. Returns its output.
pub(crate) fn run(command: &mut Command) -> AnyResult<String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
