"""What is run beside the package: set-up, catalogues."""
