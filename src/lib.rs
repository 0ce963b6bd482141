//! tracewright
