//! The tests of the library, one binary: reference values, searches for counterexamples, simulated attacks, planted errors.
//!
//! With `UNSWAYED_FULL=1` the searches and simulations get their full budget, which takes many minutes.

mod fixtures;

mod attacks;
mod framework;
mod learner_attacks;
mod learner_soundness;
mod learners;
mod mean;
mod mutations;
mod oracles;
mod paper;
mod prepare;
mod soundness;
// These are about the modules `design` and `experiment`, which are not part of the library at the moment.
// mod design;
// mod experiment;
// mod noise;
