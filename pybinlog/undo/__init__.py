"""Changes taken back, or made again, from what binary logs say of them."""
