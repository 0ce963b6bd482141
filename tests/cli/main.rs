//! The program as a process: exit statuses, messages, written tests.

mod bad_input;
mod end_to_end;
mod explain;
mod resume;
mod parts;
mod subject;
