"""Renyi divergences, off the main road: of mechanisms, and the curves that follow from them."""
