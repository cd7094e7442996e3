"""`python -m crosscheck`: the command line where no script is installed."""

from crosscheck.cli import main

main()
