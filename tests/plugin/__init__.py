"""What a third party would write."""
