"""A request in other words than the contract's: what it says, and what it leaves open."""
