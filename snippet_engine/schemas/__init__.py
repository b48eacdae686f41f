"""The contract of the tools as JSON Schemas, and the strict check of arguments against them."""
