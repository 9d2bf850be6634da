"""What one release tells an attacker: a pair of laws, read through its privacy loss."""
