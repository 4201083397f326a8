//! The library's code stays in the process for good once there is a client: a name look-up that hangs outlives its
//! call on a thread of its own, and the host may unload the library meanwhile. On Linux the linker says so
//! (`tools/release/library`); a DLL has to do it.

#[cfg(windows)]
pub(crate) fn stay() {
    use std::ffi::c_void;

    const FROM_ADDRESS: u32 = 4;
    const PIN: u32 = 1;
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
    }
    let address = stay as fn() as *const c_void;
    let mut module = std::ptr::null_mut();
    // It cannot fail for an address of loaded code. In a static library it is the program, or the DLL that it is linked into.
    // SAFETY: with FROM_ADDRESS the address is only looked up; the out-pointer is a local's.
    unsafe { GetModuleHandleExW(FROM_ADDRESS | PIN, address, &raw mut module) };
}

#[cfg(not(windows))]
pub(crate) fn stay() {}
