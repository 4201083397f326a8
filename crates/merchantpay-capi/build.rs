//! How the shared library is linked.

fn main() {
    let abi = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmerchantpay.so.{abi}");
            // A name look-up that hangs outlives its call on a thread of its own. The host may unload the
            // library meanwhile; its code then has to stay.
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
        Ok("macos") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmerchantpay.{abi}.dylib")
        }
        _ => {}
    }
}
