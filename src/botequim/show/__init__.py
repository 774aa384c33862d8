"""What people see: games told in words."""
