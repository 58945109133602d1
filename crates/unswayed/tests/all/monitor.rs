//! Windows of a stream: what is kept, what is refused, what a state file gives back.

use std::fmt::Write as _;

use unswayed::data::{self, LabelPolicy, Reading, Source, reload};
use unswayed::monitor::{LabelReader, Limits, Monitor, Policy, RowError, StateError, Window};
use unswayed::{Problem, certify};

#[path = "../../examples/monitor.rs"]
mod example;

const POLICY: Policy = Policy { window: 120, every: 40 };

fn window(capacity: usize) -> Window {
    Window::new(capacity, LabelReader::new(LabelPolicy::Detect, vec![]).unwrap())
}

/// The sample as a stream, row after row, again and again.
fn pushed(window: &mut Window, rows: std::ops::Range<usize>) {
    let sample = data::sample().unwrap();
    for i in rows {
        let (row, label) = (sample.row(i % sample.rows()), if i % 2 == 0 { "1" } else { "-1" });
        // z = label · features, so the features of a row with label −1 are −z.
        let x: Vec<f64> = row.iter().map(|z| if i % 2 == 0 { *z } else { -*z }).collect();
        window.push(&x, Some(label)).unwrap();
    }
}

fn problem(window: &Window) -> Problem {
    let data = window.datasets(120).unwrap();
    Problem::builder(data).learning_rate(0.01).regularization(0.1).poison_rate(0.02).build().unwrap()
}

#[test]
fn warm_bounds_are_those_of_a_cold_start_and_each_is_checked() {
    let (mut window, mut monitor) = (window(120), Monitor::new(POLICY, Limits::default()));
    pushed(&mut window, 0..120);
    for end in (120..=360).step_by(40) {
        assert!(monitor.is_due(window.seen()));
        let problem = problem(&window);
        let (update, outcome) = monitor.update(&problem, window.seen());
        let (warm, cold) = (outcome.unwrap(), certify(&problem).unwrap());
        let difference = (warm.certified_loss - cold.certified_loss).abs();
        assert!(
            difference < 1e-4 * cold.certified_loss,
            "{} and {}",
            warm.certified_loss,
            cold.certified_loss
        );
        assert_eq!((update.rows, update.status.as_str()), (end as u64, "certified"));
        unswayed::certify::recover(warm.certificate, problem.data().to_vec(), None).unwrap();
        pushed(&mut window, end..end + 40);
    }
    assert_eq!((monitor.updates(), monitor.alarms()), (7, 0));
}

#[test]
fn a_window_keeps_the_newest_rows_and_its_file_makes_the_same_ones() {
    let mut window = window(240);
    pushed(&mut window, 0..500);
    let datasets = window.datasets(120).unwrap();
    assert_eq!(datasets.len(), 2);
    let sample = data::sample().unwrap();
    assert_eq!(datasets[1].row(119), sample.row(499));
    assert_eq!(datasets[0].row(0), sample.row(260));
    assert!(datasets[0].origin().to_string().contains("taking rows 261 to 380 of a stream"));
    for dataset in &datasets {
        let file = Source::bytes("window.csv", window.csv(dataset));
        let again = reload(&file, dataset.origin()).unwrap();
        assert_eq!(again.origin().same_rows(dataset.origin()), Ok(()));
        assert_eq!(again.z(), dataset.z());
    }
    // Names and labels that need quotes.
    let labels = LabelReader::new(LabelPolicy::Detect, vec!["no, thanks".into(), "\"yes\"".into()]).unwrap();
    let mut quoted = Window::new(2, labels);
    quoted.name(vec!["a,b".into()], "the \"label\"".into());
    quoted.push(&[0.5], Some("no, thanks")).unwrap();
    quoted.push(&[0.25], Some("\"yes\"")).unwrap();
    let data = quoted.datasets(2).unwrap().remove(0);
    assert_eq!(data.z(), [-0.5, 0.25]);
    let again = reload(&Source::bytes("window.csv", quoted.csv(&data)), data.origin()).unwrap();
    assert_eq!(again.origin().same_rows(data.origin()), Ok(()));
}

#[test]
fn what_cannot_be_used_leaves_the_window_as_it_was() {
    let mut window = window(3).with_scale(2.0);
    window.push(&[0.6, 1.9], Some("a")).unwrap();
    assert!(matches!(window.push(&[0.6], Some("b")), Err(RowError::Columns { expected: 2, found: 1 })));
    assert!(matches!(window.push(&[0.6, f64::NAN], Some("b")), Err(RowError::NotFinite { index: 1, .. })));
    assert!(matches!(window.push(&[2.0, 0.1], Some("b")), Err(RowError::Long { .. })));
    assert!(matches!(window.push(&[1e200, 1e200], Some("b")), Err(RowError::Long { .. })));
    assert!(matches!(window.push(&[0.1, 0.1], None), Err(RowError::Label(_))));
    assert!(window.datasets(1).is_err(), "the other class is not known yet");
    window.push(&[2.0, 0.0], Some("b")).unwrap();
    assert!(matches!(window.push(&[0.1, 0.1], Some("c")), Err(RowError::Label(_))));
    assert_eq!((window.seen(), window.rows()), (2, 2));
    assert_eq!(window.datasets(2).unwrap()[0].z(), [-0.3, -0.95, 1.0, 0.0]);
}

#[test]
fn clipped_rows_are_never_longer_than_the_clip() {
    let labels = LabelReader::new(LabelPolicy::Premultiplied, vec![]).unwrap();
    let mut window = Window::new(1000, labels).with_clip(Some(0.7));
    for i in 1..1000 {
        let x = [f64::from(i) * 0.01, 1.0 / f64::from(i), -0.3 * f64::from(i)];
        window.push(&x, None).unwrap();
    }
    let data = window.datasets(999).unwrap().remove(0);
    assert!(data.iter().all(|row| row.iter().map(|z| z * z).sum::<f64>() <= 0.49));
    assert!(data.largest_norm() > 0.699_999 && window.shortened() > 990);
}

#[test]
fn a_state_gives_back_everything_or_is_refused() {
    let (mut window, mut monitor) = (window(120), Monitor::new(POLICY, Limits::default()));
    pushed(&mut window, 0..200);
    monitor.update(&problem(&window), window.seen());
    let file = monitor.to_bytes(&window, &7_u8).unwrap();
    let mut again = self::window(120);
    let (mut resumed, more): (Monitor, u8) = Monitor::from_bytes(&file, &mut again).unwrap();
    assert_eq!((more, again.seen(), again.datasets(120).unwrap()), (7, 200, window.datasets(120).unwrap()));
    pushed(&mut window, 200..240);
    pushed(&mut again, 200..240);
    let (here, there) = (monitor.update(&problem(&window), 240).0, resumed.update(&problem(&again), 240).0);
    assert_eq!(here.certified_loss.map(f64::to_bits), there.certified_loss.map(f64::to_bits));
    assert_eq!((here.number, there.number), (2, 2));

    let refused = |file: &[u8]| Monitor::from_bytes::<u8>(file, &mut self::window(120)).unwrap_err();
    assert_eq!(refused(b"something else"), StateError::Foreign);
    for cut in [20, 100, file.len() - 1] {
        assert!(matches!(refused(&file[..cut]), StateError::Damaged(_)), "cut at {cut}");
    }
    let mut flipped = file.clone();
    *flipped.last_mut().unwrap() ^= 1;
    assert!(matches!(refused(&flipped), StateError::Damaged(_)));
    let smaller = Monitor::from_bytes::<u8>(&file, &mut self::window(50)).unwrap_err();
    assert!(matches!(smaller, StateError::Other(_)));
}

#[test]
fn an_alarm_counts_once_until_the_limit_is_kept_again() {
    let limits = Limits { loss: None, error: Some(1e-9) };
    let (mut window, mut monitor) = (window(120), Monitor::new(POLICY, limits));
    pushed(&mut window, 0..120);
    let problem = problem(&window);
    assert!(monitor.update(&problem, 120).0.alarm && monitor.is_new_alarm());
    assert!(monitor.update(&problem, 160).0.alarm && !monitor.is_new_alarm());
    let mut monitor = monitor.with_limits(Limits { loss: None, error: Some(1.0) });
    assert!(!monitor.update(&problem, 200).0.alarm && !monitor.is_new_alarm());
    assert!(monitor.fail("no rows".into(), 240).alarm && monitor.is_new_alarm());
    assert_eq!(monitor.alarms(), 2);
    assert_eq!(monitor.newest().unwrap().status, "failed");
}

#[test]
fn streams_of_every_kind_of_label_make_their_rows() {
    let reading = |labels| Reading { labels, scale: Some(1.0), ..Reading::default() };
    for (policy, classes, texts) in [
        (LabelPolicy::Scores, vec![], ["0.5", "-1", "0.25"]),
        (LabelPolicy::Numbers, vec![], ["3", "-7.5", "0"]),
        (LabelPolicy::Multiclass, vec!["a".into(), "b".into(), "c".into()], ["b", "a", "c"]),
        (LabelPolicy::Detect, vec![], ["1", "0", "1"]),
    ] {
        let mut window = Window::new(3, LabelReader::new(policy, classes).unwrap());
        let mut csv = "x1,label\n".to_owned();
        for (x, label) in [0.5, 0.25, 0.125].into_iter().zip(texts) {
            window.push(&[x], Some(label)).unwrap();
            writeln!(csv, "{x},{label}").unwrap();
        }
        let file = data::load(&Source::bytes("rows.csv", csv), &reading(policy)).unwrap();
        let kept = window.datasets(3).unwrap().remove(0);
        assert_eq!(kept.origin().same_rows(file.origin()), Ok(()), "{policy:?}");
        assert_eq!(kept.z(), file.z());
    }
    assert!(LabelReader::new(LabelPolicy::Multiclass, vec![]).is_err());
}

#[test]
fn the_example_notices_its_attack() {
    example::main().unwrap();
}
