"""The words everybody shares: keys, ledgers, findings and the rules they cite."""
