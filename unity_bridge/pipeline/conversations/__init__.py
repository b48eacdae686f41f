"""What is asked of Unity's Pipeline package, tool by tool, and what the answers mean.

Pure: conversations that name the next question and are sent what was heard.
"""
