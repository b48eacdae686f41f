"""One server kept running: ``supervisor`` starts and restarts it, ``background_server`` and
``client_thread`` let threads use it.
"""
