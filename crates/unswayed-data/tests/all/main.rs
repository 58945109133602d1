//! Data files: what is read, what is refused, and with what words.

mod common;
mod damage;
mod load;
mod origin;
mod partition;
mod refuse;
mod size;
mod sparse;
mod stream;
mod strict;
mod tables;
