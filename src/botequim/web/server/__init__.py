"""Between the network and the application: connections, TLS certificates, limits, headers."""
