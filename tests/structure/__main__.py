"""Checks the imports inside each Rust crate, and the footnotes of docs/threat-model.md: python3 tests/structure"""

import sys

import claims
import imports

faults = [*imports.faults(), *claims.faults()]
sys.exit("\n".join(faults) or None)
