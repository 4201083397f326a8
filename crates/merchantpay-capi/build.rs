//! Sets how the shared library is linked.

fn main() {
    let abi = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmerchantpay.so.{abi}");
            // A hanging name look-up continues on its own thread after its call has ended. If the host
            // unloads the library meanwhile, the code must stay in memory.
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
        Ok("macos") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmerchantpay.{abi}.dylib")
        }
        _ => {}
    }
}
