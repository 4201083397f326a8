//! Another Rust static library in the same program: it panics, catches panics, allocates, and uses threads
//! and thread-locals.
use std::cell::Cell;

thread_local!(static CALLS: Cell<i32> = const { Cell::new(0) });

#[unsafe(no_mangle)]
pub extern "C" fn second_sum(up_to: i32) -> i32 {
    let threads: Vec<_> = (1..=up_to).map(|number| std::thread::spawn(move || number)).collect();
    threads.into_iter().map(|thread| thread.join().expect("a thread that gives its number")).sum()
}

/// Of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn second_panics() -> i32 {
    let caught = std::panic::catch_unwind(|| panic!("{}", String::from("caught")));
    CALLS.with(|calls| {
        calls.set(calls.get() + i32::from(caught.is_err()));
        calls.get()
    })
}
