//! The library's versions.

use std::ffi::c_char;

/// The version of this header as a number, which grows with each version: major * 10000 + minor * 100 +
/// patch.
pub const MPAY_HEADER_VERSION_NUMBER: u32 = 400;

/// The ABI of this header. The library's SONAME contains it, and a program that was built with a different
/// ABI cannot use the library.
pub const MPAY_HEADER_ABI: u32 = 0;

/// The version of the library at run time, as text such as "0.1.0". Static. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The version of the library at run time, in the format of MPAY_HEADER_VERSION_NUMBER. Any thread. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_version_number() -> u32 {
    MPAY_HEADER_VERSION_NUMBER
}

/// The ABI of the library at run time. Compare it with MPAY_HEADER_ABI if the program loads the library at
/// run time. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_abi_version() -> u32 {
    MPAY_HEADER_ABI
}
