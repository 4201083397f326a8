//! The service dies in the middle of `/new`: the sandbox as a process of its own, killed with SIGKILL at each
//! point, started again on the same file. Linux: it looks into /proc to know when a point is reached.
#![cfg(target_os = "linux")]

mod example;
mod merchant;
mod points;
mod service;
