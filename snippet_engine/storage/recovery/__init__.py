"""What dead processes left unfinished: found, ended where that can be, and else told."""
