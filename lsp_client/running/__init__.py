"""One server kept running: started, watched, started again, on a thread of its own."""
