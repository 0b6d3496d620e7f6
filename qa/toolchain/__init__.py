"""What the gate runs on and in which order: `python3 -m toolchain STEP...` from the folder qa/."""
