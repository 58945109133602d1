//! Errors of the library in the words of the command line: flags instead of fields, and what to do.

use std::error::Error;

use unswayed::data::DataError;
use unswayed::design::DesignError;
use unswayed::experiment::ExperimentError;
use unswayed::{AttackError, CertifyError, Column, ParameterError, ProblemError};
use unswayed_check::{Feature, Reason, Rule};

/// What to tell the user.
pub fn message(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<DataError>() {
        error.for_command_line()
    } else if let Some(error) = error.downcast_ref::<ProblemError>() {
        problem(error)
    } else if let Some(error) = error.downcast_ref::<CertifyError>() {
        certify(error)
    } else if let Some(error) = error.downcast_ref::<DesignError>() {
        design(error)
    } else if let Some(error) = error.downcast_ref::<ParameterError>() {
        parameter(error)
    } else if let Some(AttackError::Parameter(error)) = error.downcast_ref() {
        parameter(error)
    } else if let Some(error @ AttackError::StartLength { .. }) = error.downcast_ref() {
        format!("--{error}")
    } else {
        match error.downcast_ref::<ExperimentError>() {
            Some(ExperimentError::Data(error)) => error.for_command_line(),
            Some(ExperimentError::Certify(error)) => certify(error),
            Some(ExperimentError::Design(error)) => design(error),
            Some(ExperimentError::Parameter(error)) => parameter(error),
            _ => error.to_string(),
        }
    }
}

fn design(error: &DesignError) -> String {
    match error {
        DesignError::Parameter(error) => parameter(error),
        DesignError::Problem { task, source } => format!("{task}: {}", problem(source)),
        DesignError::Certify { task, source } => format!("{task}: {}", certify(source)),
        other => other.to_string(),
    }
}

fn certify(error: &CertifyError) -> String {
    match error {
        CertifyError::Problem(error) => problem(error),
        CertifyError::Parameter(error) => parameter(error),
        CertifyError::StartLength { expected, found } => {
            format!("--start has {found} entries, but the model has {expected}; give one number for each")
        }
        CertifyError::StartNotFinite { .. } => format!("--start: {error}"),
        CertifyError::PartOfBlock { steps, block } => {
            format!("--horizon {steps}: with --moments it must be whole blocks, a multiple of {block} steps")
        }
        CertifyError::Refused(failure) => match &failure.reason {
            Reason::Condition { name, value, wanted } => condition(name, *value, wanted),
            _ => failure.to_string(),
        },
        CertifyError::Confidence(reason) => format!("--confidence: {reason}"),
        other => other.to_string(),
    }
}

fn problem(error: &ProblemError) -> String {
    match error {
        ProblemError::Unsupported(rule) => unsupported(rule),
        ProblemError::Invalid(failure) => match &failure.reason {
            Reason::Condition { name, value, wanted } => condition(name, *value, wanted),
            Reason::Unsupported(rule) => unsupported(rule),
            other => other.to_string(),
        },
        ProblemError::Set { adversary, error } => format!("--adversary {adversary}: {error}"),
        ProblemError::FeaturesWithoutBias => {
            "--adversary features needs --bias, the column whose entry the learner appends itself".into()
        }
        ProblemError::NoConstant { column } => format!(
            "--adversary features: the entries of column {column} are not all of one size, so it is no constant that the learner \
             appends itself; use --adversary ball"
        ),
        ProblemError::NoClassesOfPoints | ProblemError::ClassesOfPoints { .. } => format!("--poison-weight: {error}"),
        ProblemError::RadiusWithoutBall => {
            "--radius is for --adversary ball; leave it out, or give the box its own radii (--adversary box=R)"
                .into()
        }
        ProblemError::ScaledEllipsoid => "--adversary ellipsoid=FILE is unsupported with --normalize: Q cannot be divided \
             without rounding; divide the data and Q beforehand"
            .into(),
        ProblemError::NoClasses => "--loss multiclass needs labels that are classes".into(),
        ProblemError::NoColumn { column, columns } => {
            let column = match column {
                Column::Index(index) => (index + 1).to_string(),
                Column::Name(name) => name.clone(),
                Column::FromEnd(_) => "last".into(),
            };
            format!(
                "--bias {column}: there is no such column; give a name, a number from 1 to {columns}, or 'last'"
            )
        }
        other => other.to_string(),
    }
}

/// A rule with the names of flags.
pub fn unsupported(rule: &Rule) -> String {
    let join = |features: &[Feature], word| features.iter().copied().map(flag).collect::<Vec<_>>().join(word);
    let without = match rule.unless {
        [] => String::new(),
        unless => format!(" without {}", join(unless, " or ")),
    };
    format!("{}{without} is unsupported: {}", join(rule.these, " with "), rule.reason)
}

fn flag(feature: Feature) -> String {
    let flag = match feature {
        Feature::Hinge => "--loss hinge",
        Feature::Logistic => "--loss logistic",
        Feature::Multiclass => "--loss multiclass",
        Feature::Regression => "a regression --loss",
        Feature::AnyLabel => "a regression without --label-bound",
        Feature::Ball => "--adversary ball",
        Feature::FixedBias => "--adversary features",
        Feature::WeightedRates => "--schedule weighted",
        Feature::Schedule => "--schedule",
        Feature::Average => "--average",
        Feature::Horizon => "--horizon",
        Feature::Box => "--adversary box",
        Feature::Ellipsoid => "--adversary ellipsoid",
        Feature::Points => "--adversary points or flips",
        Feature::LabelFlips => "--adversary labels",
        Feature::AnyPoint => "--adversary any",
        Feature::TargetWeights => "--target with rows of the data",
        Feature::TargetRows => "--target with rows of its own",
        Feature::Drift => "--drift",
        Feature::Projection => "--projection",
        Feature::Clip => "--clip",
        Feature::Momentum => "--momentum",
        Feature::Bias => "--bias",
        Feature::NoRegularization => "--regularization 0",
        Feature::Confidence => "--confidence",
        Feature::SetAroundData => "a box or ellipsoid around the data",
        Feature::RowWeights => "--weight-column",
        Feature::StepWeights => "--class-weight or --step-weight-column",
        Feature::HostileRows => "--contaminated",
        Feature::Moments => "--moments",
        Feature::SparseRows => "sparse rows without --dense",
        Feature::Paper => "--method paper",
        other => return other.to_string(),
    };
    flag.into()
}

/// A number outside its range.
fn condition(name: &str, value: f64, wanted: &str) -> String {
    let (flag, rule) = match name {
        "learning_rate" => ("--learning-rate", "it must be a positive number, such as 1e-3"),
        "regularization" => ("--regularization", "it must be a number that is not negative, such as 0.01"),
        "poison_rate" => {
            ("--poison-rate", "it is the fraction of points that are the adversary's, from 0 to below 1")
        }
        "1 − learning_rate·regularization" => {
            return "--learning-rate times --regularization must be below 1; make one of them smaller".into();
        }
        "(1 + momentum − learning_rate·regularization)² − 4·momentum" => {
            return "--learning-rate times --regularization must be at most (1 − √momentum)²; make --momentum or one of them smaller"
                .into();
        }
        "poison_weight" => ("--poison-weight", "it goes with --class-weight or --step-weight-column"),
        "moments" => ("--moments", "blocks must have whole steps: a multiple of --batch"),
        "n² − σ²‖θ_0‖²" => {
            return "--start: with --moments, its norm times --regularization must be at most the norm of the longest point".into();
        }
        _ => return format!("{name} = {value:?} is not {wanted}"),
    };
    format!("{flag} {value}: {rule}")
}

/// A parameter outside its range: its name becomes a flag.
fn parameter(error: &ParameterError) -> String {
    const FLAGS: [(&str, &str); 8] = [
        ("learning rate ", "--learning-rate "),
        ("regularization ", "--regularization "),
        ("poison rate ", "--poison-rate "),
        ("squared radius ", "--squared-radius "),
        ("trace of the covariance ", "--covariance-trace "),
        ("trace of the noise ", "--noise-trace "),
        ("kappa ", "--kappa "),
        ("batch ", "--batch "),
    ];
    let text = error.to_string();
    let renamed = FLAGS.iter().find_map(|(name, flag)| Some(format!("{flag}{}", text.strip_prefix(name)?)));
    renamed.unwrap_or(text)
}
