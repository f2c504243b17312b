"""What a trace says: objects, sites, lines, pages, groups."""
