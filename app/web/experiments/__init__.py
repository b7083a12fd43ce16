"""What was claimed of learning, and what is so: each claim with its runs behind every mark."""
