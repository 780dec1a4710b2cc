"""`python -m sg_server` is `sg-server`."""

import sys

from sg_server.cli import main

sys.exit(main())
