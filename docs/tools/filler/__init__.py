"""What fill.py is made of. markers.py says what a marker is, blocks.py what stands in each kind of block."""
