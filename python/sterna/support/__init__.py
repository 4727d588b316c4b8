"""What all other packages need: files, arrays, numbers and units as text, optional libraries."""
