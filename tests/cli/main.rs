//! The program from outside: its exit statuses, its sentences, the tests it writes.

mod bad_input;
mod end_to_end;
mod explain;
mod resume;
mod parts;
mod subject;
