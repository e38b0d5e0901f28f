"""Processes by id: finding the ones that belong to a folder, waiting for their end, ending them."""

import contextlib
import os
import select
import signal
from pathlib import Path

# Every server process carries its instance's folder in this variable, and so do the helpers it starts (epmd, say).
SERVER_OF = "FERRY_SERVER_OF"
# The same for those who use the servers: it tells them where the instance is.
USER_OF = "FERRY_SERVICES_DIR"


def marked_with(folder, variable=SERVER_OF):
    """The ids of all processes started with the instance's folder in that variable."""
    wanted = f"{variable}={folder}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    yield int(entry.name)


def kill_marked_with(folder, variable=SERVER_OF):
    for pid in list(marked_with(folder, variable)):
        with contextlib.suppress(ProcessLookupError):
            handle = os.pidfd_open(pid)
            try:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                readable([handle], timeout=5)
            finally:
                os.close(handle)


def tree(pid):
    """`pid` and all its descendants, parents first."""
    yield pid
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from tree(int(child))


def readable(handles, timeout=None):
    """Those of `handles` (sockets or file descriptors) that are readable; waits for the first."""
    poll = select.poll()
    for handle in handles:
        poll.register(handle, select.POLLIN)
    ready = {number for number, _ in poll.poll(None if timeout is None else timeout * 1000)}
    return [handle for handle in handles if _number(handle) in ready]


def _number(handle):
    return handle if isinstance(handle, int) else handle.fileno()
