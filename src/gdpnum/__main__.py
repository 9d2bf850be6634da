"""``python -m gdpnum`` is the command ``gdpnum``."""

from gdpnum.cli import main

if __name__ == "__main__":
    main()
