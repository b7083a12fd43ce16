"""The pages of the site, one module for each; `parts` has what several pages share."""
