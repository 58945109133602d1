//! The examples run. That of monitoring is in `monitor`.

#[path = "../../examples/own_loss.rs"]
mod own_loss;
#[path = "../../examples/policy.rs"]
mod policy;

#[test]
fn own_policies_stay_below_the_bound() {
    policy::main().unwrap();
}

#[test]
fn own_losses_have_candidates_above_their_attack() {
    own_loss::main().unwrap();
}
