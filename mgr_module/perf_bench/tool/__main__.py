"""``python3 -m perf_bench.tool``: the host tool without its console script."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
