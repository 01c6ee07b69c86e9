"""What is known, as of a day."""
