//! The tests of the library, one binary: reference values, searches for counterexamples, simulated attacks, planted errors.
//!
//! With `UNSWAYED_FULL=1` the searches and simulations get their full budget, which takes many minutes.

mod fixtures;

mod attacks;
mod compact;
mod contraction;
mod decide;
mod design;
mod examples;
mod experiment;
mod first_steps;
mod framework;
mod hostile;
mod learner_attacks;
mod learner_soundness;
mod learners;
mod levels;
mod mean;
mod moments;
mod momentum;
mod monitor;
mod mutations;
mod noise;
mod oracles;
mod paper;
mod prepare;
mod soundness;
mod sparse;
mod steps;
mod threads;
mod value_iteration;
