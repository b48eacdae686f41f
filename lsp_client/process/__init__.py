"""A server's process and its memory (``server_process``); it never outlives this one: ``guardian``
on POSIX, ``job_object`` on Windows.
"""
