//! Kills the service in the middle of `/new`. The sandbox is a separate process, which gets SIGKILL at each
//! point of the request and starts again with the same file. The tests run only on Linux, because they read
//! /proc to know when a point is reached.
#![cfg(target_os = "linux")]

mod example;
mod merchant;
mod points;
mod proxy;
mod service;
