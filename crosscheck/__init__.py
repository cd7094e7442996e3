"""The harness: contract, witnesses, comparison, checks, claims, report, commands."""
