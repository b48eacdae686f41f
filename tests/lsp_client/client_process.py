"""A process with a language server, for tests that end it: ``client_process.py ROOT FAULT``.

Prints a line once the server has answered, and then waits.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "doubles"))

from language_clients import hostile_command, launch_of, validator_of
from verdicts import diagnosed

from lsp_client.servers.server_table import custom


def main(root: Path, fault: str) -> None:
    validator = validator_of(root, [launch_of(custom("hostile"), hostile_command(fault), root)])
    print(diagnosed(validator, "Assets/bad.cs", "class A { }\n"), flush=True)
    time.sleep(3600)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
