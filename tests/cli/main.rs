//! The program as a process: exit statuses, messages, written tests.

mod asserts;
mod conventions;
mod coroutines;
mod bad_input;
mod browser;
mod diff;
mod end_to_end;
mod explain;
mod generated;
mod injection;
mod interrupted;
mod releases;
mod resume;
mod shared_state;
mod slurm;
mod streams_and_members;
mod services;
mod page;
mod paths;
mod parts;
mod reasons;
mod subject;
mod web;
mod surroundings;
mod tables;
