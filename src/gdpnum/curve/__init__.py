"""Trade-off curves: the least false negative rate of any attack at each false positive rate."""
