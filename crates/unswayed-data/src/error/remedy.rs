//! What to do about a problem, and the setting that does it.

use super::Problem;

impl Problem {
    /// The setting to use or to leave out.
    pub(super) fn setting(&self) -> Option<Setting> {
        use Problem as P;
        match self {
            P::TooLarge { .. } | P::TooFewRows { .. } | P::ZeroRowsWanted => Some(Setting::Rows),
            P::MissingColumn { role: "step weight", .. } | P::NoStepWeights | P::UnwantedStepWeights => {
                Some(Setting::StepWeightColumn)
            }
            P::MissingColumn { role: "label", .. } | P::UnwantedLabelColumn => Some(Setting::LabelColumn),
            P::MissingColumn { role: "feature", .. } | P::ChosenTwice | P::UnwantedColumns => {
                Some(Setting::Columns)
            }
            P::Dates | P::IndexColumn => Some(Setting::DropColumns),
            P::MissingColumn { .. } | P::UnusedArrays(_) | P::NoWeights | P::UnwantedWeights => {
                Some(Setting::WeightColumn)
            }
            P::NoLabels | P::UnwantedLabels => Some(Setting::LabelFile),
            P::OneClass(_) => Some(Setting::Scores),
            P::ThirdLabel { .. } => Some(Setting::Multiclass),
            P::LongRow(_) => Some(Setting::Normalize),
            P::SparseLabels => Some(Setting::Dense),
            _ => None,
        }
    }

    /// What to do about it; the name of the setting is put where `{}` stands.
    pub(super) fn remedy(&self) -> &'static str {
        use Problem as P;
        match self {
            P::NotFound => "check the path",
            P::NotAFile => {
                "name a file; several are a folder of tables, a quoted pattern such as 'part-*.parquet', or @names.txt"
            }
            P::UnknownFormat => "use .npz, .npy, .csv, .tsv, .jsonl, .parquet or .svm",
            P::Expands(_) => "if that is right, expand it first",
            P::NotAnObject(_) => "write one object per line",
            P::NewField => "write the same fields on every line",
            P::NoTables => {
                "name a folder of .csv, .tsv, .jsonl or .parquet files, a pattern that fits some, or a list of them"
            }
            P::SeveralArrays => "write .npy, .npz and .svm data as one file",
            P::UnlikeFiles(_) => "write them with the same columns in the same order",
            P::EmptyFile | P::Damaged(_) => "write or download it again",
            P::TooLarge { .. } => "use fewer rows{}",
            P::NoRows | P::NoColumns => "at least one is needed",
            P::ZeroRowsWanted => "ask for at least one{}",
            P::TooFewRows { .. } => "ask for fewer{}",
            P::MissingArray { wanted, .. } => match wanted.as_str() {
                "z" => "save the rows as \"z\" (NumPy: `savez(file, z=…)`)",
                "x" | "y" => {
                    "save the features as \"x\" and the labels as \"y\" (NumPy: `savez(file, x=…, y=…)`)"
                }
                "chosen" | "rejected" => {
                    "save the features of both as \"chosen\" and \"rejected\" (NumPy: `savez(file, chosen=…, rejected=…)`)"
                }
                _ => "check the name",
            },
            P::UnusedArrays(_) => "save the file without them, or name the one that holds weights{}",
            P::AmbiguousArrays | P::DuplicateArray(_) => "keep one of them",
            P::MissingColumn { .. } => "name the column{}",
            P::LabelIsWeight | P::StepWeightIsOther => "name two columns",
            P::ChosenTwice => "name it once{}",
            P::UnwantedColumns => "leave the choice out{}; it goes with tables",
            P::Dates => "leave the column out{}, or make a number of it, such as the days since an event",
            P::DuplicateColumn(..) => "rename or remove one of them",
            P::IndexColumn => {
                "save without the index (pandas: `index=False`), leave it out{}, or name the column"
            }
            P::NoHeader => "add a line of column names above it",
            P::Ragged { .. } => "repair the row",
            P::NotANumber(_) | P::NotFinite(_) => "remove the row or replace the value",
            P::MissingValue => "remove the row or fill in the value",
            P::WrongType(_) => "convert them to float32 or float64",
            P::Encoding(_) => "write the file with snappy compression and the default encodings",
            P::WrongShape { .. } => "reshape it",
            P::NotInParts(_) => {
                "use .npy files stored row by row, or .parquet files; a larger limit reads them as a whole{}"
            }
            P::OtherRows(_) => "do not change files while they are read",
            P::LengthMismatch { .. } => "give exactly one per row",
            P::NoLabels => {
                "name the file of the labels too{}, or save both in one .npz file as \"x\" and \"y\""
            }
            P::UnwantedLabels => {
                "leave them out{}; a file of labels is for .npy features and sparse matrices"
            }
            P::UnwantedLabelColumn => "leave it out{}; it goes with tables that have labels",
            P::NoWeights | P::NoStepWeights => "name the column that holds them{}",
            P::UnwantedWeights => "leave them out{}; a column of weights goes with .npz files and tables",
            P::UnwantedStepWeights => {
                "leave them out{}; a column of step weights goes with .npz files and tables"
            }
            P::OneClass(_) => "add the other class, or take the labels as scores{}",
            P::ThirdLabel { .. } => {
                "keep two classes, use scores between -1 and 1, or certify a learner of several classes{}"
            }
            P::UnknownLabel { .. } => "use the file that the record is about",
            P::ScoreOutOfRange(_) => "scale the scores",
            P::TextScore(_) => "use numbers or two classes",
            P::TooManyClasses | P::LongLabel(_) => "check that this column holds classes",
            P::NotAPair => "remove or rename this one",
            P::NoPartner(_) => "add it, or remove this one",
            P::UnequalPairs { .. } => "save one for each",
            P::LongRow(_) => "divide all rows by the largest norm{}",
            P::HugeRow | P::Overflow => "scale the features",
            P::BadScale(_) => "use a positive number",
            P::NegativeWeight(_) => "weights are at least 0",
            P::ZeroWeights => "at least one must be positive",
            P::BadStepWeight(_) => "step weights are above 0; leave out rows that are to have no effect",
            P::UnknownClassWeight(_) => "name the labels as they are in the file",
            P::NoClassesToWeigh => "use step weights of rows instead",
            P::Unsorted { .. } => {
                "sort the entries and add up those of one column (SciPy: `x.sum_duplicates()`)"
            }
            P::NoSuchColumn { .. } => "correct the entry, or the shape",
            P::AllZero => "there is nothing to learn from",
            P::SparseLabels => "write the zeros out{}, if there are not too many",
            P::NotByRows(_) => "convert it first (SciPy: `x.tocsr()`)",
            P::NotAnEntry(_) => {
                "write a label and then INDEX:VALUE for each entry; query ids are not supported"
            }
            P::Unreadable(_) | P::OddColumns(_) | P::BadOrigin(_) => "",
        }
    }
}

/// A setting that a remedy is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    /// Divide rows by the largest norm.
    Normalize,
    /// How many rows are used.
    Rows,
    /// The file of the labels.
    LabelFile,
    /// The label column.
    LabelColumn,
    /// The column or array of weights.
    WeightColumn,
    /// The column or array of step weights.
    StepWeightColumn,
    /// The columns that are features.
    Columns,
    /// The columns that are left out.
    DropColumns,
    /// Labels are scores.
    Scores,
    /// Labels are several classes.
    Multiclass,
    /// Write sparse rows out.
    Dense,
}

impl Setting {
    /// The flag of the command.
    pub fn flag(self) -> &'static str {
        self.names().0
    }

    /// The argument of the Python package.
    pub fn argument(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Setting::Normalize => ("--normalize", "normalize=True"),
            Setting::Rows => ("--rows", "rows"),
            Setting::LabelFile => ("--labels", "label_file"),
            Setting::LabelColumn => ("--label-column", "label_column"),
            Setting::WeightColumn => ("--weight-column", "weight_column"),
            Setting::StepWeightColumn => ("--step-weight-column", "step_weight_column"),
            Setting::Columns => ("--columns", "columns"),
            Setting::DropColumns => ("--drop-columns", "drop_columns"),
            Setting::Scores => ("--scores", "labels=\"scores\""),
            Setting::Multiclass => ("--loss multiclass", "labels=\"classes\""),
            Setting::Dense => ("--dense", "dense=True"),
        }
    }
}
