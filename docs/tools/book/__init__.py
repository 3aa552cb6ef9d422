"""Turns the repository's Markdown into a site. md_filter.py and build_site.py are the commands."""
