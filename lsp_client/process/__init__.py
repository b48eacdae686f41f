"""A server's process (``server_process``) that never outlives this one: ``guardian`` on POSIX,
``job_object`` on Windows; ``process_memory`` measures it.
"""
