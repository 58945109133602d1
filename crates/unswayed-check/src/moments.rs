//! An adversary who picks its moments: at most εW points of each block of W are its own, at times of its choosing (Theorem B1).
//!
//! ```text
//! max(B, B₀) + π·(W/(2b))·ηĜ·( (‖r‖ + L)/(1−ε) + |χ|ĝ )
//!
//! B₀ = r₀/(1−ε) + ‖r/(1−ε) − σβ‖²/(4ασ(2−ησ))     π = ε(1−ε), and ¼ for ε > ½
//! Ĝ  = n + min(n, σϱ)                              n ≥ ‖g‖ of every step, ĝ ≥ ‖g‖ of the adversary's points
//! L  = h·√(Σ t_i‖z_i‖²)                            h the steepest slope of the loss, ϱ the radius of a projection
//! ```
//!
//! B is the bound of Theorem L1, where a coin names the moments; r₀ + rᵀθ is the line above the rows, b the batch. Over a horizon the
//! start must have σ‖θ_0‖ ≤ n.

use dashu_int::IBig;
use dashu_ratio::RBig;

use crate::evaluate::{self, Region};
use crate::exact::{Dyadic, ExactSum, Round, norm2, quotient, sqrt_up};
use crate::failure::{Reason, require, require_not_negative};
use crate::lambda::Lambda;
use crate::momentum::{longest_poison, longest_row, steepest};
use crate::parts::points;
use crate::parts::rows::Line;
use crate::proof::CaseProof;
use crate::rows::Rows;
use crate::statement::{Horizon, Learner, Statement, Target, Threat};

impl Threat {
    /// The most points of a block that may be the adversary's: the whole part of εW. `None` if a coin names its moments.
    ///
    /// ```
    /// use unswayed_check::Threat;
    /// let threat = Threat { moments: Some(100), ..Threat::ball(0.05, 1.0) };
    /// assert_eq!(threat.most_in_block(), Some(5));
    /// ```
    pub fn most_in_block(&self) -> Option<u64> {
        let share = RBig::try_from(self.poison_rate).unwrap_or_default();
        let most = (share * RBig::from(IBig::from(self.moments?))).floor();
        Some(u64::try_from(most).unwrap_or(0))
    }
}

/// Requires blocks of whole steps, at least one.
pub(crate) fn validate(statement: &Statement) -> Result<(), Reason> {
    let Some(block) = statement.threat.moments else { return Ok(()) };
    require(block >= 1, "moments", 0.0, "≥ 1")?;
    let is_whole = block % statement.learner.batch == 0;
    require(is_whole, "moments", block as f64, "a multiple of the points per step")?;
    statement.horizon.as_ref().map_or(Ok(()), |horizon| validate_horizon(statement, horizon))
}

/// Requires a horizon of whole blocks: the points of a part of one could all be the adversary's.
pub(crate) fn validate_horizon(statement: &Statement, horizon: &Horizon) -> Result<(), Reason> {
    let Some(block) = statement.threat.moments else { return Ok(()) };
    let is_whole = horizon.steps.is_multiple_of((block / statement.learner.batch).max(1));
    require(is_whole, "horizon.steps", horizon.steps as f64, "a whole number of blocks of moments")
}

/// The steps that a learner makes.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// n²: the largest ‖g‖² of a row or of the adversary's points.
    longest: Dyadic,
    /// ĝ²
    poison: Dyadic,
}

impl Steps {
    /// Of a learner whose adversary picks its moments.
    pub(crate) fn of(statement: &Statement, proof: &CaseProof, rows: &Rows) -> Option<Self> {
        statement.threat.moments?;
        let loss = statement.learner.loss;
        let poison = longest_poison(statement, proof, rows);
        let longest = (steepest(loss) * longest_row(loss, rows)).max(poison.clone());
        Some(Steps { longest, poison })
    }

    /// Requires a start in the ball that steps do not leave, from where none is longer than Ĝ.
    pub(crate) fn require_start(&self, learner: &Learner, start: &[f64]) -> Result<(), Reason> {
        let reach = Dyadic::new(learner.regularization).square() * norm2(start);
        require_not_negative(&(&self.longest - reach), "n² − σ²‖θ_0‖²")
    }

    /// Ĝ
    fn length(&self, learner: &Learner) -> Dyadic {
        let n = sqrt_up(&self.longest);
        let shrink = learner.projection.map(|ball| Dyadic::new(learner.regularization) * Dyadic::new(ball));
        let shrink = shrink.map_or_else(|| n.clone(), |shrink| shrink.min(n.clone()));
        n + shrink
    }
}

/// What turns a bound for coins into one for blocks.
pub(crate) struct Blocks<'a> {
    pub(crate) statement: &'a Statement,
    pub(crate) lambda: &'a Lambda<'a>,
    pub(crate) rows: &'a Rows<'a>,
    pub(crate) steps: &'a Steps,
}

impl Blocks<'_> {
    /// The bound for blocks of so many points, rounded up, from the bound for coins, its line and χ.
    pub(crate) fn bound(
        &self,
        block: u64,
        line: &Line,
        chi: &Dyadic,
        coin: Dyadic,
    ) -> Result<Dyadic, Reason> {
        let (lambda, learner) = (self.lambda, &self.statement.learner);
        let scale = &line.scale * &lambda.benign;
        let mut square = Dyadic::zero();
        for slope in &line.slope {
            square = square + slope.square();
        }
        let of_rows = quotient(&sqrt_up(&square), &scale, Round::Up);
        let of_target = quotient(&of_target(self.statement, self.rows), &lambda.benign, Round::Up);
        let steepness = of_rows + of_target + chi.abs() * sqrt_up(&self.steps.poison);
        let half = Dyadic::new(0.5);
        let is_most = (&lambda.eps - &half).is_positive();
        let share = if is_most { half.square() } else { &lambda.eps * &lambda.benign };
        let width = Dyadic::whole(block / learner.batch).half();
        let cost = share * width * &lambda.eta * self.steps.length(learner) * steepness;
        Ok(coin.max(self.untaken(line, scale)?) + cost)
    }

    /// B₀, for blocks of which the adversary takes no point.
    fn untaken(&self, line: &Line, scale: Dyadic) -> Result<Dyadic, Reason> {
        let (constant, slope) = (line.constant.clone(), line.slope.clone());
        let (size, line) = (slope.len(), Line { constant, slope, scale, bend: Dyadic::zero() });
        evaluate::bound(self.lambda, &line, &points::none(size), &Region::everywhere(size))
    }
}

/// L, rounded up.
fn of_target(statement: &Statement, rows: &Rows) -> Dyadic {
    let loss = statement.learner.loss;
    let weights = match &statement.target {
        Target::Weights(weights) => Some(weights[0].as_slice()),
        _ => rows.weights,
    };
    let rows = Rows { weights, ..*rows };
    let sum = |range: std::ops::Range<usize>| {
        let mut sum = ExactSum::new();
        for i in range {
            let weight = rows.weight(i);
            rows.entries(i, loss.label_entries()).values.iter().for_each(|&x| sum.add([weight, x, x]));
        }
        sum.take()
    };
    let total = rows.in_parallel(sum).into_iter().fold(Dyadic::zero(), |a, b| a + b);
    sqrt_up(&quotient(&(steepest(loss) * total), &rows.total_weight(), Round::Up))
}
