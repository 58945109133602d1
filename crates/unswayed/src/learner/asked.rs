//! Which losses, adversaries, targets and steps go together, in the words that users ask for them with.

use unswayed_check::Target;

use crate::data::Dataset;

/// What is asked of a linear learner, before there are data to build it from.
///
/// ```
/// use unswayed::learner::Asked;
/// let asked = Asked { loss: "multiclass", adversary: "box", ..Asked::default() };
/// let conflict = asked.check().unwrap_err();
/// assert_eq!(conflict.words("--"), "--loss multiclass goes with --adversary ball only");
/// assert!(Asked { adversary: "box", ..Asked::default() }.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says whether one thing is asked for, whatever the others are"
)]
pub struct Asked<'a> {
    /// `hinge`, `logistic` or `multiclass`.
    pub loss: &'a str,
    /// `ball`, `box`, `ellipsoid`, `points`, `flips`, `labels` or `any`.
    pub adversary: &'a str,
    /// Whether the box or ellipsoid is taken from the data.
    pub around: bool,
    /// The radius of the ball, 1 if it is not given.
    pub radius: f64,
    /// Whether the rows were divided by a number, so that they are no longer in the units of the data file.
    pub scaled: bool,
    /// Whether the data may switch between several datasets.
    pub drift: bool,
    /// Whether there is a target.
    pub target: bool,
    /// Whether steps are projected.
    pub projection: bool,
    /// Whether steps are clipped.
    pub clip: bool,
    /// Whether a column is not regularized.
    pub bias: bool,
    /// Whether new data are to be spoken of.
    pub confidence: bool,
}

impl Default for Asked<'_> {
    fn default() -> Self {
        Asked {
            loss: "hinge",
            adversary: "ball",
            around: false,
            radius: 1.0,
            scaled: false,
            drift: false,
            target: false,
            projection: false,
            clip: false,
            bias: false,
            confidence: false,
        }
    }
}

/// Things that do not go together, and a word on why. `{}` stands before each name of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict(&'static str);

impl Conflict {
    /// In words, with this before each name of an option.
    pub fn words(self, before: &str) -> String {
        self.0.replace("{}", before)
    }
}

/// Whether something is wrong, and what there is to say about it.
type Rule = (bool, &'static str);

impl Asked<'_> {
    /// Refuses what no theorem covers.
    ///
    /// # Errors
    ///
    /// The first two things that do not go together.
    pub fn check(&self) -> Result<(), Conflict> {
        let rules = self.units().into_iter().chain(self.sets()).chain(self.steps()).chain(self.new_data());
        rules.into_iter().find(|(bad, _)| *bad).map_or(Ok(()), |(_, words)| Err(Conflict(words)))
    }

    /// Refuses a target beside the data where no theorem covers it.
    ///
    /// # Errors
    ///
    /// What the target does not go with.
    pub fn check_target(&self, target: &Target) -> Result<(), Conflict> {
        let is_covered = self.loss == "hinge" && !self.clip && !self.bias;
        if *target != Target::Rows || is_covered {
            return Ok(());
        }
        Err(Conflict(
            "{}target: not all of its rows are rows of the data; that goes with {}loss hinge only, without {}clip and {}bias",
        ))
    }

    /// Refuses labels of the adversary's choice where labels are real scores: only the sign of a row is covered.
    ///
    /// # Errors
    ///
    /// What the labels rule out.
    pub fn check_labels<'a>(&self, data: impl IntoIterator<Item = &'a Dataset>) -> Result<(), Conflict> {
        let scores = data.into_iter().any(|one| one.provenance().scores);
        if !scores || !matches!(self.adversary, "labels" | "flips") {
            return Ok(());
        }
        Err(Conflict(
            "{}adversary labels and flips turn a label into its opposite, but these labels are real scores, which an \
             adversary could set anywhere in [−1, 1]; use {}adversary ball or box",
        ))
    }

    fn units(&self) -> [Rule; 2] {
        let is_given = !self.around && matches!(self.adversary, "box" | "ellipsoid" | "points");
        [
            (
                self.scaled && is_given,
                "{}normalize divides the rows but not the adversary's set, which is in the units of the data file; divide \
                 both before, and leave out {}normalize",
            ),
            (
                self.scaled && (self.radius - 1.0).abs() > 0.0,
                "{}normalize divides the rows but not {}radius, which is in the units of the data file; divide both before, \
                 and leave out {}normalize",
            ),
        ]
    }

    fn sets(&self) -> [Rule; 5] {
        let is_class = self.loss == "multiclass";
        [
            (is_class && self.target, "{}loss multiclass is judged by the data: leave out {}target"),
            (
                self.adversary == "any" && !self.clip,
                "{}adversary any needs {}clip: else one point moves the model anywhere",
            ),
            (is_class && self.adversary != "ball", "{}loss multiclass goes with {}adversary ball only"),
            (
                self.adversary == "labels" && self.target,
                "{}adversary labels is judged by the data: leave out {}target, or take {}adversary flips",
            ),
            (
                self.adversary != "ball" && (self.radius - 1.0).abs() > 0.0,
                "{}radius is that of {}adversary ball: leave it out, or take a box with a radius of its own",
            ),
        ]
    }

    fn steps(&self) -> [Rule; 7] {
        let is_class = self.loss == "multiclass";
        let is_clippable = matches!(self.adversary, "ball" | "any");
        [
            (self.clip && !is_clippable, "{}clip goes with {}adversary ball or any only"),
            (self.clip && is_class, "{}clip does not go with {}loss multiclass"),
            (self.bias && is_class, "{}bias does not go with {}loss multiclass"),
            (self.bias && !self.is_symmetric(), "{}bias goes with {}adversary ball, box or ellipsoid only"),
            (self.bias && self.clip, "{}bias does not go with {}clip"),
            (self.bias && self.target, "{}bias is judged by the data: leave out {}target"),
            (self.bias && self.projection, "{}bias does not go with {}projection"),
        ]
    }

    fn new_data(&self) -> [Rule; 6] {
        let asked = self.confidence;
        [
            (asked && self.loss != "hinge", "{}confidence goes with {}loss hinge only"),
            (asked && !self.is_symmetric(), "{}confidence goes with {}adversary ball, box or ellipsoid only"),
            (
                asked && self.around,
                "{}confidence is for a set that the data have no say in: give {}adversary box or ellipsoid numbers of its own",
            ),
            (asked && self.drift, "{}confidence goes with one dataset only"),
            (asked && self.target, "{}confidence is about data like these: leave out {}target"),
            (asked && (self.clip || self.bias), "{}confidence does not go with {}clip and {}bias"),
        ]
    }

    /// Whether the adversary's points are a bounded set around 0, with −z for each z.
    fn is_symmetric(&self) -> bool {
        matches!(self.adversary, "ball" | "box" | "ellipsoid")
    }
}
