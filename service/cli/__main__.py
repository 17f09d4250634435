"""`python -m service.cli` is `migrato`."""

from service.cli.root import main

main(prog_name="migrato")
