//! Links `merchantpay-python` to the extension module. Link-time optimization of a module follows the settings
//! of its last crate. The code that converts values is compiled for size; signatures must be compiled for
//! speed, so the last crate is this one.

use merchantpay_python as _;
