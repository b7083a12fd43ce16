"""How the site is served: caching, packing, errors, headers, files, the deployment, the trainer."""
