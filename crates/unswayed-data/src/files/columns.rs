//! What the named columns of a table are for.

use std::collections::{HashMap, HashSet};

use crate::error::{DataError, Place, Problem};
use crate::labels::LabelPolicy;

const CHOSEN: &str = "chosen_";
const REJECTED: &str = "rejected_";

/// What is wanted of a table with named columns.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    pub policy: LabelPolicy,
    pub label_column: Option<&'a str>,
    pub weight_column: Option<&'a str>,
    pub step_weight_column: Option<&'a str>,
    /// The features, if not all other columns are.
    pub chosen: Option<&'a [String]>,
    /// Columns that are not features.
    pub dropped: &'a [String],
    pub rows: Option<usize>,
}

/// Whether a column is a feature.
struct Taken<'a> {
    chosen: Option<HashSet<&'a str>>,
    left_out: HashSet<&'a str>,
}

impl<'a> Taken<'a> {
    fn new(layout: Layout<'a>) -> Self {
        let dropped = layout.dropped.iter().map(String::as_str);
        let single = [layout.label_column, layout.weight_column, layout.step_weight_column];
        let single = single.into_iter().flatten();
        Taken {
            chosen: layout.chosen.map(|chosen| chosen.iter().map(String::as_str).collect()),
            left_out: dropped.chain(single).collect(),
        }
    }

    fn has(&self, name: &str) -> bool {
        !self.left_out.contains(name) && self.chosen.as_ref().is_none_or(|chosen| chosen.contains(name))
    }
}

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The feature with this index.
    Feature(usize),
    Label,
    Weight,
    StepWeight,
    /// Left out.
    Ignored,
}

/// The roles of all columns of a table.
pub(super) struct Columns {
    /// One per column of the file.
    pub roles: Vec<Role>,
    /// The names of the features.
    pub names: Vec<String>,
}

impl Columns {
    /// Gives every column its role; an error if a name is missing or stands twice.
    pub fn new(names: &[String], layout: Layout) -> Result<Self, DataError> {
        let taken = Taken::new(layout);
        if let Some(column) = names.iter().position(|name| is_unnamed(name) && taken.has(name)) {
            return Err(Problem::IndexColumn.at(Place::default().at_column(column, &[])));
        }
        if let Some((i, j)) = duplicate(names) {
            return Err(Problem::DuplicateColumn(i + 1, j + 1).at(Place::column(&names[i])));
        }
        let Layout { label_column, weight_column, step_weight_column, .. } = layout;
        let features =
            layout.chosen.into_iter().chain([layout.dropped]).flatten().map(|name| ("feature", &**name));
        let single =
            [("label", label_column), ("weight", weight_column), ("step weight", step_weight_column)];
        let named = single.into_iter().filter_map(|(role, name)| Some((role, name?))).chain(features);
        let all: HashSet<&str> = names.iter().map(String::as_str).collect();
        for (role, wanted) in named {
            if !all.contains(wanted) {
                let (wanted, present) = (wanted.to_owned(), names.to_owned());
                return Err(Problem::MissingColumn { role, wanted, present }.into());
            }
        }
        if let Some((i, _)) = layout.chosen.and_then(duplicate) {
            return Err(Problem::ChosenTwice.at(Place::column(&layout.chosen.unwrap_or_default()[i])));
        }
        if let Some(name) = label_column.filter(|_| label_column == weight_column) {
            return Err(Problem::LabelIsWeight.at(Place::column(name)));
        }
        if let Some(name) =
            step_weight_column.filter(|_| [label_column, weight_column].contains(&step_weight_column))
        {
            return Err(Problem::StepWeightIsOther.at(Place::column(name)));
        }
        let mut features: Vec<String> =
            layout.chosen.unwrap_or(names).iter().filter(|name| taken.has(name)).cloned().collect();
        if features.is_empty() {
            return Err(Problem::NoColumns.into());
        }
        if layout.policy == LabelPolicy::Preferences {
            features = pairs(&features)?;
        }
        let places: HashMap<&str, usize> = features.iter().map(String::as_str).zip(0..).collect();
        let role = |name: &String| match places.get(name.as_str()) {
            Some(&feature) => Role::Feature(feature),
            None if label_column == Some(name) => Role::Label,
            None if weight_column == Some(name) => Role::Weight,
            None if step_weight_column == Some(name) => Role::StepWeight,
            None => Role::Ignored,
        };
        let roles = names.iter().map(role).collect();
        Ok(Self { roles, names: features })
    }
}

/// Whether a column has no name, or is the row number that a table library saved along.
fn is_unnamed(name: &str) -> bool {
    name.is_empty() || name == "__index_level_0__" || name == "Unnamed: 0"
}

/// The first name that stands over two columns.
fn duplicate(names: &[String]) -> Option<(usize, usize)> {
    let mut sorted: Vec<usize> = (0..names.len()).collect();
    sorted.sort_by_key(|&i| &names[i]);
    sorted.windows(2).find(|pair| names[pair[0]] == names[pair[1]]).map(|pair| (pair[0], pair[1]))
}

/// The columns `chosen_…`, then the columns `rejected_…` in the same order.
fn pairs(names: &[String]) -> Result<Vec<String>, DataError> {
    let all: HashSet<&str> = names.iter().map(String::as_str).collect();
    for name in names {
        let partner = match (name.strip_prefix(CHOSEN), name.strip_prefix(REJECTED)) {
            (Some(feature), _) => format!("{REJECTED}{feature}"),
            (_, Some(feature)) => format!("{CHOSEN}{feature}"),
            _ => return Err(Problem::NotAPair.at(Place::column(name))),
        };
        if !all.contains(partner.as_str()) {
            return Err(Problem::NoPartner(partner).at(Place::column(name)));
        }
    }
    let features: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix(CHOSEN)).collect();
    let with = |prefix: &'static str| features.iter().map(move |feature| format!("{prefix}{feature}"));
    Ok(with(CHOSEN).chain(with(REJECTED)).collect())
}
