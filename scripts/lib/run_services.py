"""Starts the command line of scripts/services: Python finds the package beside this file, whatever the caller's path."""

import sys

from services import cli

sys.exit(cli.main(sys.argv[1:]))
