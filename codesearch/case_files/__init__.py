"""Case files: cases that others wrote, read line by line; nothing in them is lost."""
