//! A child that is forked while threads of its parent open and close objects can use the waist at once.

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use fork::Fork;
    use merchantpay_calls::{ObjectKind, call, close, open};

    /// `MERCHANTPAY_FORKS` asks for more.
    const FORKS: u32 = 300;

    fn work() -> bool {
        let opened = open(ObjectKind::Library.number() as u32, 0, &[], None);
        let Ok(handle) = opened.as_ref().try_into().map(u64::from_ne_bytes) else { return false };
        let made = call(handle, 1, &[], &[]);
        close(handle);
        !opened.is_error() && !made.is_error()
    }

    static STOP: AtomicBool = AtomicBool::new(false);
    let forks = std::env::var("MERCHANTPAY_FORKS").ok().and_then(|count| count.parse().ok()).unwrap_or(FORKS);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                while !STOP.load(Ordering::Relaxed) {
                    assert!(work());
                }
            })
        })
        .collect();
    for number in 0..forks {
        match fork::fork().expect("it forks") {
            Fork::Child => std::process::exit(i32::from(!(0..20).all(|_| work()))),
            Fork::Parent(child) => {
                let start = Instant::now();
                let status = loop {
                    match fork::waitpid_nohang(child).expect("the child exists") {
                        Some(status) => break status,
                        None if start.elapsed() > Duration::from_secs(60) => panic!("child {number} hangs"),
                        None => std::thread::sleep(Duration::from_micros(200)),
                    }
                };
                assert!(
                    fork::WIFEXITED(status) && fork::WEXITSTATUS(status) == 0,
                    "child {number}: {status}"
                );
            }
        }
    }
    STOP.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join().expect("a thread"));
    println!("test {forks} forks while threads open and close objects ... ok");
}
