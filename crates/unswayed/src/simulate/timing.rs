//! When an adversary who picks its moments sends its points (Theorem B1): so many of each block, never more.

use unswayed_check::Threat;

/// Blocks, and where in them the adversary's points are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timing {
    /// W
    block: u64,
    /// The whole part of εW.
    most: u64,
    place: Place,
}

/// Where in a block the adversary's points are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Evenly spread.
    Spread,
    /// The last ones.
    Burst,
    /// The last ones of every other block and the first ones of the next: bursts that are twice as long.
    Across,
}

impl Timing {
    /// The ways that attacks try; one without a timing if a coin names the moments.
    pub(crate) fn all(threat: &Threat) -> Vec<Option<Timing>> {
        let (Some(block), Some(most)) = (threat.moments, threat.most_in_block()) else { return vec![None] };
        let each = [Place::Across, Place::Burst, Place::Spread];
        each.into_iter().map(|place| Some(Timing { block, most, place })).collect()
    }

    /// Benign points before the adversary's next one, after so many points.
    pub(super) fn until_turn(self, now: u64) -> u64 {
        if self.most == 0 {
            return u64::MAX;
        }
        let (number, at) = (now / self.block, now % self.block);
        match self.next_in(number, at) {
            Some(turn) => turn - at,
            None => self.block - at + self.next_in(number + 1, 0).unwrap_or(0),
        }
    }

    /// The place of the first of its points in a block that is not before this one.
    fn next_in(self, number: u64, at: u64) -> Option<u64> {
        let first = match self.place {
            Place::Spread => return self.next_spread(at),
            Place::Across if number % 2 == 1 => 0,
            Place::Burst | Place::Across => self.block - self.most,
        };
        let turn = at.max(first);
        (turn < first + self.most).then_some(turn)
    }

    /// Point j of a block is at ⌊jW/K⌋.
    fn next_spread(self, at: u64) -> Option<u64> {
        let [block, most, at] = [self.block, self.most, at].map(u128::from);
        let point = (at * most).div_ceil(block);
        let turn = point * block / most;
        (point < most).then_some(turn as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In each of many blocks exactly the whole part of εW points are the adversary's, wherever they are.
    #[test]
    fn blocks_have_as_many_points_as_allowed() {
        for (rate, block) in [(0.05, 100), (0.3, 7), (0.999, 5), (0.5, 2), (0.1, 9)] {
            let threat = Threat { moments: Some(block), ..Threat::ball(rate, 1.0) };
            let most = (rate * block as f64).floor() as u64;
            for timing in Timing::all(&threat) {
                let (timing, mut counts, mut now) = (timing.unwrap(), [0; 50], 0);
                while most > 0 && now < 49 * block {
                    now += timing.until_turn(now);
                    counts[(now / block) as usize] += 1;
                    now += 1;
                }
                assert!(counts[..49].iter().all(|&count| count == most), "{timing:?} {counts:?}");
            }
        }
    }

    #[test]
    fn bursts_are_where_they_should_be() {
        let threat = Threat { moments: Some(10), ..Threat::ball(0.2, 1.0) };
        let turns = |timing: Timing| -> Vec<u64> {
            let mut now = 0;
            let next = |_| {
                now += timing.until_turn(now) + 1;
                now - 1
            };
            (0..6).map(next).collect()
        };
        let found: Vec<_> = Timing::all(&threat).into_iter().flatten().map(turns).collect();
        assert_eq!(found[0], [8, 9, 10, 11, 28, 29]);
        assert_eq!(found[1], [8, 9, 18, 19, 28, 29]);
        assert_eq!(found[2], [0, 5, 10, 15, 20, 25]);
        assert_eq!(Timing::all(&Threat::ball(0.2, 1.0)), [None]);
    }
}
