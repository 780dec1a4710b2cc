"""Search, stable snapshots and the pages made from them."""
