// Replaced by the module's first commit.
