"""Numbers read off a trade-off curve: mu with its slack, regret."""
