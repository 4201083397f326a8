//! The processes in C: `c/worker.c` beside the C library, as it is built without optimisation.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::AnyResult;

/// Builds the program into this folder, with the library beside it.
pub(crate) fn build(folder: &Path) -> AnyResult<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = folder.join("c");
    std::fs::create_dir(&target)?;
    let executable = std::env::current_exe()?;
    let profiles = executable.parent().and_then(Path::parent).ok_or("a program without a target folder")?;
    let built = profiles.join("debug/libmerchantpay_capi.so");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut library = Command::new(cargo);
    library.current_dir(&root).args(["build", "--locked", "--quiet", "--package", "merchantpay-capi"]);
    run(&mut library)?;
    for name in ["libmerchantpay.so", concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR"))] {
        std::fs::copy(&built, target.join(name))?;
    }
    let libraries =
        run(Command::new("pkg-config").args(["--cflags", "--libs", "libpq", "libmariadb", "libmicrohttpd"]))?;
    let program = target.join("worker");
    run(Command::new("cc")
        .args(["-std=c99", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread", "-I"])
        .arg(root.join("include"))
        .arg(root.join("tests/soak/c/worker.c"))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(&target)
        .arg("-lmerchantpay")
        .args(libraries.split_whitespace())
        .arg(format!("-Wl,-rpath,{}", target.display())))?;
    Ok(program)
}

fn run(command: &mut Command) -> AnyResult<String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
