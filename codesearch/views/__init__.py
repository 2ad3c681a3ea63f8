"""Views: form, then one service or selector, then a template."""
