//! What a step is for: the mandates, what each asks of an editor, and which orders of them make sense.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use synod_engine::PartList;
use synod_types::Problem;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mandate {
    Draft,
    StructureDepth,
    AccuracyCompleteness,
    PolishFormat,
    SecurityReview,
    CostAnalysis,
    Accessibility,
    Performance,
    Custom,
}

impl Mandate {
    fn display(self) -> &'static str {
        match self {
            Self::Draft => "Draft",
            Self::StructureDepth => "Structure & Depth",
            Self::AccuracyCompleteness => "Accuracy & Completeness",
            Self::PolishFormat => "Polish & Format",
            Self::SecurityReview => "Security Review",
            Self::CostAnalysis => "Cost Analysis",
            Self::Accessibility => "Accessibility",
            Self::Performance => "Performance",
            Self::Custom => "Custom",
        }
    }

    /// What the editor is told. A draft has nothing beyond the request; a custom mandate is the user's own text.
    fn focus(self) -> &'static str {
        match self {
            Self::Draft | Self::Custom => "",
            Self::StructureDepth => {
                "Order the text so that each part prepares the next. Add sections that a reader will miss, deepen the thin ones with reasons, \
                 examples or steps, and merge what is said twice."
            }
            Self::AccuracyCompleteness => {
                "Check every claim, figure, name and step. Correct what is wrong, fill what is missing, and say where something holds only under \
                 conditions or is not certain. Invent nothing to close a gap."
            }
            Self::PolishFormat => {
                "Make it read well: plain sentences, correct grammar, one name for one thing, and headings, lists and tables used the same way \
                 throughout. Change the wording, not the substance."
            }
            Self::SecurityReview => {
                "Find what an attacker, a leak or a mistake could exploit in what the text proposes. Work the safeguards into the places where they \
                 belong, and name the risks that remain."
            }
            Self::CostAnalysis => {
                "Work out what it costs to build, run and leave, with the assumptions behind each figure. Compare the alternatives, say when it pays \
                 off, and give ranges where figures are unknown."
            }
            Self::Accessibility => {
                "Make it usable by everybody it is meant for: inclusive wording, text alternatives, reading order, contrast, keyboard and screen \
                 reader use, with the WCAG criterion where one applies."
            }
            Self::Performance => {
                "Find where time, memory or money is lost as it grows. Estimate the size of each effect, propose the change that helps most, and say \
                 how it would be measured."
            }
        }
    }
}

/// A step: its mandate, as shown to people and as told to the editor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Task {
    pub mandate: Mandate,
    pub display: String,
    pub focus: String,
}

/// A custom mandate is named by so many of its first words.
const NAME_WORDS: usize = 5;

/// One task a step; the custom texts go to the custom steps in order.
pub fn tasks(steps: &[Mandate], custom: &[String]) -> Vec<Task> {
    let mut texts = custom.iter();
    let task = |mandate: &Mandate| match mandate {
        Mandate::Custom => {
            let text = texts.next().map(|text| text.trim()).unwrap_or_default();
            let first: Vec<&str> = text.split_whitespace().take(NAME_WORDS).collect();
            let first = first.join(" ");
            let display = format!("Custom: {}", first.trim_end_matches(['.', ',', ';', ':']));
            Task { mandate: *mandate, display, focus: text.to_owned() }
        }
        named => Task { mandate: *named, display: named.display().to_owned(), focus: named.focus().to_owned() },
    };
    steps.iter().map(task).collect()
}

/// A step with a model of its own.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StepEntry {
    model: Option<String>,
    mandate: Mandate,
    custom_mandate: Option<String>,
}

/// Steps as requests list them: mandates, or entries with a model each.
pub fn steps(field: &str, entries: &[Value]) -> Result<PartList, Vec<Problem>> {
    if entries.iter().all(Value::is_string) {
        return Ok(PartList { models: Vec::new(), options: vec![("steps", entries.into())] });
    }
    let want = "an object with model and mandate and, where that is custom, customMandate";
    let steps: Vec<StepEntry> = synod_engine::read_entries(field, entries, want)?;
    let custom: Vec<&str> = steps.iter().filter_map(|step| step.custom_mandate.as_deref()).collect();
    let mut options = vec![("steps", steps.iter().map(|step| synod_engine::to_value(&step.mandate)).collect())];
    if !custom.is_empty() {
        options.push(("custom_mandates", custom.into()));
    }
    Ok(PartList { models: steps.into_iter().map(|step| step.model).collect(), options })
}

/// What the options' schema cannot say.
pub fn check(steps: &[Mandate], custom: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(late) = steps.iter().skip(1).position(|mandate| *mandate == Mandate::Draft) {
        problems.push(Problem::new(
            "options.steps",
            format!("draft as step {}", late + 2),
            "draft as the first step only: later steps improve what is there",
        ));
    }
    let wanted = steps.iter().filter(|mandate| **mandate == Mandate::Custom).count();
    if wanted != custom.len() {
        let texts = |n: usize| if n == 1 { "1 text".to_owned() } else { format!("{n} texts") };
        let want = match wanted {
            0 => "no text: none of the steps is custom".to_owned(),
            n => format!("{}, one for each custom step", texts(n)),
        };
        problems.push(Problem::new("options.custom_mandates", texts(custom.len()), want));
    }
    for text in custom {
        let length = text.trim().chars().count();
        if !(10..=2000).contains(&length) {
            problems.push(Problem::new("options.custom_mandates", format!("a text of {length} characters"), "texts of 10 to 2000 characters"));
        }
    }
    problems
}

/// Whether a check of accuracy will undo the polish.
pub fn polishes_too_early(steps: &[Mandate]) -> bool {
    let place = |wanted: Mandate| steps.iter().position(|mandate| *mandate == wanted);
    let last_check = steps.iter().rposition(|mandate| *mandate == Mandate::AccuracyCompleteness);
    place(Mandate::PolishFormat).zip(last_check).is_some_and(|(polish, check)| polish < check)
}
