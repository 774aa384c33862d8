"""The layer between the network and the application: connections, TLS certificates, limits, headers."""
