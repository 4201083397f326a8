//! Keeps the library's code in the process after the first client was made. A hanging name look-up continues
//! on its own thread after its call has ended, and the host may unload the library meanwhile. On Linux a
//! linker flag does this (`tools/release/library`); a DLL must do it itself.

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
    // This cannot fail for an address of loaded code. In a static library the address belongs to the program,
    // or to the DLL that contains it. SAFETY: with FROM_ADDRESS the address is only looked up; the
    // out-pointer points to a local variable.
    unsafe { GetModuleHandleExW(FROM_ADDRESS | PIN, address, &raw mut module) };
}

#[cfg(not(windows))]
pub(crate) fn stay() {}
