"""``python -m service`` serves; README.md lists what can be set."""

from service.server import main

if __name__ == "__main__":
    main()
