"""What is said between client and server: requests, notifications, documents, their bounds."""
