"""Random truthful documents: data are simulated, metrics follow from them, tables print them."""
