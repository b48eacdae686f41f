"""Run a server's process, and read its memory: ``server_process``.

The server ends with this process: by ``guardian`` on POSIX, by ``job_object`` on Windows.
"""
