"""`python -m verified_tok.cli` is `verified-tok`."""

import sys

from verified_tok.cli import main

sys.exit(main())
