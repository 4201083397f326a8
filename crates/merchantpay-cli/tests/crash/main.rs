//! Kills the service in the middle of `/new`: the sandbox is a separate process, which gets SIGKILL at each
//! point and starts again with the same file. Only on Linux, because the test reads /proc to know when a
//! point is reached.
#![cfg(target_os = "linux")]

mod example;
mod merchant;
mod points;
mod service;
