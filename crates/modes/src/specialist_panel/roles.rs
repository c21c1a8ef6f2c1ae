//! The roles at the table: which of the library and which of the user's own, and everything wrong with the wish.

use super::Options;
use super::preset_roles::{PRESETS, PresetRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use synod_engine::PartList;
use synod_types::Problem;

/// How many roles a panel may hold, and how many it gets when nobody says. One model playing all of them is a panel too.
pub const LEAST: usize = 2;
pub const MOST: usize = 6;
const USUAL: usize = 3;

/// A point of view to judge from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Role {
    pub id: String,
    pub title: String,
    pub expertise: String,
    pub description: String,
    pub priorities: Vec<String>,
    pub criteria: Vec<String>,
}

impl From<&PresetRole> for Role {
    fn from(preset: &PresetRole) -> Self {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        Self {
            id: preset.id.to_owned(),
            title: preset.title.to_owned(),
            expertise: preset.expertise.to_owned(),
            description: preset.description.to_owned(),
            priorities: owned(&preset.priorities),
            criteria: owned(&preset.criteria),
        }
    }
}

/// A role of your own. Its id is `custom_` and the title in lower case, with `_` between the words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomRole {
    /// What the role is called, at least 3 characters.
    pub title: String,
    /// What it knows, at least 10 characters.
    #[serde(alias = "expertiseAreas")]
    pub expertise_areas: String,
    /// From where it looks at things, at least 20 characters.
    pub description: String,
    /// What it looks at first, most important first: at least 3, of at least 5 characters each.
    pub priorities: Vec<String>,
    /// What it rates from 1 to 5: at least 3 names, of at least 3 characters each.
    pub criteria: Vec<String>,
}

impl CustomRole {
    pub fn id(&self) -> String {
        format!("custom_{}", slug(&self.title))
    }

    fn role(&self) -> Role {
        Role {
            id: self.id(),
            title: self.title.trim().to_owned(),
            expertise: self.expertise_areas.clone(),
            description: self.description.clone(),
            priorities: self.priorities.clone(),
            criteria: self.criteria.clone(),
        }
    }

    fn check(&self, at: &str, problems: &mut Vec<Problem>) {
        let mut long = |field: String, text: &str, least: usize| {
            if text.trim().chars().count() < least {
                problems.push(Problem::new(field, format!("{text:?}"), format!("at least {least} characters")));
            }
        };
        long(format!("{at}.title"), &self.title, 3);
        long(format!("{at}.expertise_areas"), &self.expertise_areas, 10);
        long(format!("{at}.description"), &self.description, 20);
        for (i, priority) in self.priorities.iter().enumerate() {
            long(format!("{at}.priorities[{i}]"), priority, 5);
        }
        for (i, criterion) in self.criteria.iter().enumerate() {
            long(format!("{at}.criteria[{i}]"), criterion, 3);
        }
        for (name, list) in [("priorities", &self.priorities), ("criteria", &self.criteria)] {
            if list.len() < 3 {
                problems.push(Problem::new(format!("{at}.{name}"), format!("{} of them", list.len()), "at least 3"));
            }
        }
        for (i, criterion) in self.criteria.iter().enumerate() {
            if self.criteria[..i].iter().any(|other| slug(other) == slug(criterion)) {
                problems.push(Problem::new(format!("{at}.criteria[{i}]"), criterion.clone(), "each criterion once: reports are read by their names"));
            }
        }
        let own = slug(&self.title);
        if own.is_empty() {
            problems.push(Problem::new(format!("{at}.title"), format!("{:?}", self.title), "letters or digits to make an id of"));
        }
        if PRESETS.iter().any(|preset| preset.id == own) {
            problems.push(Problem::new(format!("{at}.title"), self.title.clone(), format!("another title: {own} is a role of the library")));
        }
    }
}

/// A seat with its role, which is one of the library's or `custom`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SpecialistEntry {
    role_id: String,
    model: Option<String>,
    custom_role: Option<CustomRole>,
}

/// Roles as requests list them, with a model each.
pub fn specialists(field: &str, entries: &[Value]) -> Result<PartList, Vec<Problem>> {
    let want = "an object with roleId and model and, where the role is custom, customRole";
    let entries: Vec<SpecialistEntry> = synod_engine::read_entries(field, entries, want)?;
    let (mut roles, mut custom, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (i, entry) in entries.iter().enumerate() {
        match (entry.role_id.as_str(), &entry.custom_role) {
            ("custom", Some(role)) => {
                roles.push(role.id());
                custom.push(role);
            }
            ("custom", None) => problems.push(Problem::new(format!("{field}[{i}].customRole"), "nothing", "the role itself, where roleId is custom")),
            (id, None) => roles.push(id.to_owned()),
            (id, Some(_)) => problems.push(Problem::new(format!("{field}[{i}].roleId"), id, "custom, where there is a customRole")),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut options = vec![("roles", roles.into())];
    if !custom.is_empty() {
        options.push(("custom_roles", synod_engine::to_value(&custom)));
    }
    Ok(PartList { models: entries.into_iter().map(|entry| entry.model).collect(), options })
}

/// A text as part of an id: lower case, runs of anything but letters and digits as one `_`.
fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// The roles of a panel. Without a list the user's own come first and the library fills up: one role a model, at least three, at most six.
pub fn select(options: &Options, models: usize) -> Vec<Role> {
    let own = options.custom_roles.iter().map(CustomRole::role);
    let all: Vec<Role> = own.chain(PRESETS.iter().map(Role::from)).collect();
    if options.roles.is_empty() {
        return all.into_iter().take(models.max(options.custom_roles.len()).clamp(USUAL, MOST)).collect();
    }
    options.roles.iter().filter_map(|id| all.iter().find(|role| role.id == *id).cloned()).collect()
}

pub fn check(options: &Options) -> Vec<Problem> {
    let mut problems = Vec::new();
    let own: Vec<String> = options.custom_roles.iter().map(CustomRole::id).collect();
    for (i, role) in options.custom_roles.iter().enumerate() {
        let at = format!("options.custom_roles[{i}]");
        role.check(&at, &mut problems);
        if own[..i].contains(&own[i]) {
            problems.push(Problem::new(format!("{at}.title"), role.title.clone(), format!("another title: the id {} is taken", own[i])));
        }
        if !options.roles.is_empty() && !options.roles.contains(&own[i]) {
            problems.push(Problem::new("options.roles", format!("{} is missing", own[i]), "every custom role by its id, or no list at all"));
        }
    }
    if options.roles.len() == 1 {
        problems.push(Problem::new("options.roles", options.roles[0].clone(), format!("{LEAST} to {MOST} roles, or none for the usual ones")));
    }
    for (i, id) in options.roles.iter().enumerate() {
        let at = format!("options.roles[{i}]");
        if options.roles[..i].contains(id) {
            problems.push(Problem::new(at, id.clone(), "each role once"));
        } else if !own.contains(id) && !PRESETS.iter().any(|preset| preset.id == id) {
            let known: Vec<&str> = PRESETS.iter().map(|preset| preset.id).chain(own.iter().map(String::as_str)).collect();
            problems.push(Problem::new(at, id.clone(), format!("one of: {}", known.join(", "))));
        }
    }
    problems
}
