"""Between the network and the application: connections, certificates, limits, headers."""
