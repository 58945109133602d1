//! The paper's experiments, in small.

use unswayed::experiment::MeanExperiment;

#[test]
fn noise_does_not_help_and_the_chosen_learner_does() {
    let experiment = MeanExperiment { test: 6, samples: 300, ..MeanExperiment::default() };
    let result = experiment.run(&()).unwrap();
    for panel in &result.panels {
        for curve in &panel.curves {
            for i in 0..curve.x.len() {
                // Six simulations averaged: a few per cent of chance.
                assert!(curve.attack[i] <= curve.certified[i] * 1.02, "{} {} {i}", panel.title, curve.name);
                assert!(curve.benign[i] < curve.certified[i]);
            }
        }
        let [none, noises @ ..] = &panel.curves[..3] else { panic!("three curves") };
        for noise in noises {
            for i in 0..none.x.len() {
                assert!(noise.certified[i] > none.certified[i], "{}", noise.name);
                assert!(noise.attack[i] > none.attack[i] * 0.98, "{}", noise.name);
            }
        }
    }
    let (plain, chosen) = (&result.panels[1].curves[0], &result.panels[1].curves[3]);
    assert!(plain.certified.iter().zip(&chosen.certified).all(|(plain, chosen)| chosen < plain));
    // Algorithm 1 ends at no noise with its first S-step.
    for traces in &result.noise_traces {
        assert!(traces[0] > 0.0 && traces[2..].iter().all(|trace| *trace == 0.0), "{traces:?}");
    }
    assert!(result.radii.is_sorted_by(|a, b| a.1 > b.1));
    assert_eq!(experiment.run(&()).unwrap().panels, result.panels);
}
