"""`python -m service.cli` is `migrato`."""

from service.cli.command import main

main(prog_name="migrato")
