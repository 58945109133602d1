#[path = "../all/fixtures/mod.rs"]
mod fixtures;
#[path = "../all/first_steps.rs"]
mod first_steps;
