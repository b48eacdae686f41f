"""What earlier versions of a script tell of a refused request."""
