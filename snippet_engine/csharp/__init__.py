"""C# text: scanning, preprocessing, parsing, symbols. Knows no requests and no files."""
