"""``python -m ca_cli`` is ``ca``."""

import sys

from ca_cli.main import main

sys.exit(main())
