//! Worker JVMs: started, fed, watched, killed, replaced. Flows in: test cases; flows out: what their executions did.
//! Must not know what the executions are wanted for.

pub mod execution;
