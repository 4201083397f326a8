//! The native half of the Node.js package `merchantpay`: the waist for JavaScript. The public classes are in JavaScript, which checks the
//! types of arguments and reads results by code that is generated from the tables. What crosses is as plain as in a frame: `null`, texts,
//! bytes and lists of them, and handles.
//!
//! | file | task |
//! |---|---|
//! | `handle` | opens objects, and makes calls on them |
//! | `threads` | the threads on which calls run |
//! | `host` | the call of a thread, and the program's signer and logger in it |
//! | `event_loop` | what goes to an event loop, and the way there |
//! | `values` | arguments and results |

mod event_loop;
mod handle;
mod host;
mod threads;
mod values;
