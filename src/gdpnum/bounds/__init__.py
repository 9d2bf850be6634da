"""What an engine finds: a profile bounded by lines from above, and by attacks from below."""
