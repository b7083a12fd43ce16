"""The pages of the site, a file each; what several of them show is in `parts`."""
