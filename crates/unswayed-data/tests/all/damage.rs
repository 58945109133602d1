//! Damaged files of every format: never a panic, and a one-line error or finite rows.

use crate::common::{fixture, policy};
use unswayed_data::{Dataset, LabelPolicy, Reading, Source, load};

const FILES: [&str; 14] = [
    "numpy_f64.npz",
    "numpy_f32_compressed.npz",
    "numpy_z.npz",
    "numpy_x.npy",
    "numpy_x_fortran.npy",
    "pandas.csv",
    "pandas_snappy.parquet",
    "pandas_gzip.parquet",
    "pandas_lz4.parquet",
    "pandas_none.parquet",
    "pandas_bool.parquet",
    "pyarrow_groups.parquet",
    "pyarrow_integers.parquet",
    "pyarrow_list.parquet",
];

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("below a usize")
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).expect("a byte")
    }
}

fn attempt(name: &str, content: Vec<u8>) {
    let labels = if name.ends_with("npy") { LabelPolicy::Premultiplied } else { LabelPolicy::Detect };
    let weighted = ["numpy_f32_compressed.npz", "pandas_bool.parquet"].contains(&name);
    let weight_column = weighted.then(|| "weight".to_owned());
    let options = Reading { normalize: true, weight_column, ..policy(labels) };
    match load(&Source::bytes(name, content), &options) {
        Ok(data) => assert_sound(&data),
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with(name) && !text.contains('\n'), "{text:?}");
        }
    }
}

fn assert_sound(data: &Dataset) {
    assert!(data.rows() > 0 && data.dimension() > 0);
    assert_eq!(data.z().len(), data.rows() * data.dimension());
    assert!(data.z().iter().all(|value| value.is_finite()));
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).expect("a fixture")
}

#[test]
fn files_cut_at_every_length() {
    for name in FILES {
        let content = read(name);
        for length in 0..content.len() {
            attempt(name, content[..length].to_vec());
        }
    }
}

#[test]
fn cut_files_are_refused() {
    for name in FILES.into_iter().filter(|name| !name.ends_with("csv")) {
        let mut content = read(name);
        content.truncate(content.len() - 1);
        let options = policy(LabelPolicy::Premultiplied);
        assert!(load(&Source::bytes(name, content), &options).is_err(), "{name}");
    }
}

#[test]
fn files_with_changed_bytes() {
    let rounds: usize =
        std::env::var("UNSWAYED_DAMAGE_ROUNDS").map_or(2000, |rounds| rounds.parse().expect("a number"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for name in FILES {
        let content = read(name);
        for _ in 0..rounds {
            let mut changed = content.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(changed.len());
                changed[at] = match random.below(3) {
                    0 => random.byte(),
                    1 => changed[at] ^ (1 << random.below(8)),
                    _ => [0, 0x7f, 0x80, 0xff][random.below(4)],
                };
            }
            attempt(name, changed);
        }
    }
}

#[test]
fn random_bytes() {
    let mut random = Random(7);
    for ending in ["npy", "npz", "csv", "parquet"] {
        for length in 0..1000 {
            let mut content: Vec<u8> = (0..length).map(|_| random.byte()).collect();
            if ending == "parquet" && length > 16 && random.below(2) == 0 {
                content[..4].copy_from_slice(b"PAR1");
                content[length - 4..].copy_from_slice(b"PAR1");
                let footer = u32::try_from(random.below(length - 8)).expect("small");
                content[length - 8..length - 4].copy_from_slice(&footer.to_le_bytes());
            }
            attempt(&format!("random.{ending}"), content);
        }
    }
}
