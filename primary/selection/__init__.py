"""How many candidates are taken (contract, section 6): dynamic-K, deployment, γ."""
