"""`python3 -m toolchain STEP...`: run these steps of the gate, the toolchain itself before them.

`STEP+STEP` are two that run side by side, `STEP+STEP,STEP` one beside two in turn.
"""

from __future__ import annotations

import io
import signal
import sys

from toolchain.bootstrap import Fault
from toolchain.gate import STEPS, run


def main(names: list[str]) -> int:
    """Returns 0 when all steps passed, 1 when one did not, 2 when there is no such step."""
    each = [one for name in names for one in name.replace(",", "+").split("+")]
    unknown = [name for name in each if name.partition(":")[0] not in STEPS]
    if unknown:
        print(f"No such step: {' '.join(unknown)}; there are {' '.join(STEPS)}.", file=sys.stderr)
        return 2
    try:
        return 0 if run(names) else 1
    except Fault as fault:
        print(fault, file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    # Started in the background of a shell, we and all below us would be deaf to SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # In a pipe, our lines keep their place among those of the programs we start.
        sys.stdout.reconfigure(line_buffering=True)
    sys.exit(main(sys.argv[1:]))
