"""How strong the champions are: `make strength`."""
