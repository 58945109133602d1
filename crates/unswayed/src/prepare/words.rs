//! Words of a text, and the columns that a hash gives them.

/// The fewest characters of a word.
const SHORTEST: usize = 2;

/// The words of a text in lower case: runs of letters, digits and `_`, of two characters or more.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let runs = lower.split(|c| !is_inside(c)).filter(|run| run.chars().nth(SHORTEST - 1).is_some());
    runs.map(str::to_owned).collect()
}

/// The terms of a text: its words, and runs of up to `longest` of them joined by a space.
pub(super) fn terms(text: &str, longest: usize) -> impl Iterator<Item = String> {
    let words = words(text);
    (1..=longest)
        .flat_map(move |length| words.windows(length).map(|run| run.join(" ")).collect::<Vec<String>>())
}

/// The column of a term among so many, and what it adds there: +1 or −1. The hash is MurmurHash3 of 32 bits, a signed number h; the
/// column is |h| modulo their number, and the sign is that of h. Where two terms share a column, signs keep them from adding up.
///
/// These are the columns and signs of scikit-learn's `HashingVectorizer` if the seed is 0.
pub(super) fn place(term: &str, seed: u32, columns: usize) -> (u32, f64) {
    // Reading from memory does not fail.
    let hash = murmur3::murmur3_32(&mut term.as_bytes(), seed).unwrap_or_default().cast_signed();
    let column = hash.unsigned_abs() as usize % columns;
    (column as u32, if hash >= 0 { 1.0 } else { -1.0 })
}

/// The sums of the entries of each column, in the order of the columns, without those that are 0.
pub(super) fn summed(mut entries: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    entries.sort_unstable_by_key(|(column, _)| *column);
    let mut sums: Vec<(u32, f64)> = Vec::with_capacity(entries.len());
    for (column, value) in entries {
        match sums.last_mut() {
            Some((last, sum)) if *last == column => *sum += value,
            _ => sums.push((column, value)),
        }
    }
    sums.retain(|(_, sum)| *sum != 0.0);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(words("Win $500 NOW!! a_b, x Straße"), ["win", "500", "now", "a_b", "straße"]);
        assert!(words(" , ; x").is_empty());
        let all: Vec<String> = terms("free money now", 2).collect();
        assert_eq!(all, ["free", "money", "now", "free money", "money now"]);
        assert_eq!(terms("free", 3).count(), 1);
    }

    #[test]
    fn places_are_those_of_the_published_hash() {
        // MurmurHash3_x86_32 as sklearn.utils.murmurhash3_32 gives it.
        let cases: [(&str, u32, i32); 6] = [
            ("free", 0, 1_363_043_438),
            ("money", 0, -729_929_402),
            ("free money", 0, -905_306_296),
            ("straße", 0, 2_095_602_437),
            ("free", 1, -1_094_834_308),
            ("a", 0, 1_009_084_850),
        ];
        for (term, seed, hash) in cases {
            let expected = (hash.unsigned_abs() % (1 << 18), if hash >= 0 { 1.0 } else { -1.0 });
            assert_eq!(place(term, seed, 1 << 18), expected, "{term}");
        }
    }

    #[test]
    fn entries_of_a_column_add_up_and_may_vanish() {
        assert_eq!(summed(vec![(7, 1.0), (2, 1.0), (7, 1.0), (3, 1.0), (3, -1.0)]), [(2, 1.0), (7, 2.0)]);
    }
}
