"""Rankings (contract, sections 3 and 15): cut-offs, grades, judgements, bounds of ties."""
