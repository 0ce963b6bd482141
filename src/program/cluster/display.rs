//! Text form of the cluster, for looking at it.
