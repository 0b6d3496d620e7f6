"""Stand-ins for the world, each with a contract: what they do not know, they raise on."""
