//! What a seat may use while it thinks: what any mode may offer, what others claimed, and a question to whoever asked.

use crate::roundtable::record::{Claim, DebateRecord};
use crate::tools::{self, CALCULATE, Files, SEARCH_FILES, fenced, text, tool, words};
use serde::Serialize;
use serde_json::{Value, json};
use synod_engine::Toolbox;
use synod_math::Index;
use synod_types::{Question, ToolDef, ToolRun};

pub const FACT_CHECK: &str = "fact_check";
pub const REQUEST_CONTEXT: &str = "request_context";

/// Calls a seat may make in a turn, where all speak at once and where they speak in turn.
pub const PARALLEL_CALLS: usize = 10;
pub const SEQUENTIAL_CALLS: usize = 5;
const SHOWN: usize = 5;

/// The tools of one seat's turn. They know the record as it was when the turn began.
pub struct TurnTools {
    /// The seat that made it, and the line that is shown.
    claims: Vec<(usize, String)>,
    positions: Vec<(String, String)>,
    names: Vec<String>,
    reader: usize,
    files: Files,
    last_round: bool,
    most: usize,
}

impl TurnTools {
    /// `positions`: where each seat stands that has spoken.
    pub fn new(
        record: &DebateRecord,
        names: &[String],
        reader: usize,
        positions: impl IntoIterator<Item = (usize, String)>,
        question: &Question,
        last_round: bool,
        most: usize,
    ) -> Self {
        let claim = |claim: &Claim| {
            let support = if claim.support.is_empty() { "no evidence".to_owned() } else { claim.support.join(", ") };
            let line =
                format!("{} [{}] {} by {}: {} ({support})", claim.id, claim.label.as_str(), claim.status.as_str(), names[claim.by], claim.text);
            (claim.by, line)
        };
        Self {
            claims: record.claims.iter().map(claim).collect(),
            positions: positions.into_iter().map(|(seat, position)| (names[seat].clone(), position)).collect(),
            names: names.to_vec(),
            reader,
            files: Files::new(question),
            last_round,
            most,
        }
    }

    fn fact_check(&self, input: &Value) -> Result<String, String> {
        let claim = text(input, "claim")?;
        let source = input.get("source_seat").and_then(Value::as_str).filter(|name| !name.is_empty());
        let of = match source.map(|name| self.names.iter().position(|known| known == name)) {
            Some(None) => return Err(format!("there is no such seat; the seats are {}", self.names.join(", "))),
            Some(Some(seat)) => Some(seat),
            None => None,
        };
        let others: Vec<&(usize, String)> = self.claims.iter().filter(|(by, _)| *by != self.reader && of.is_none_or(|seat| seat == *by)).collect();
        let lines: Vec<&str> = others.iter().map(|(_, line)| line.as_str()).collect();
        let near = Index::new(&lines).nearest(claim, SHOWN);
        let mut said: Vec<String> = near.into_iter().map(|at| fenced("claim", &self.names[others[at].0], lines[at])).collect();
        let positions = self.positions.iter().filter(|(name, _)| source.is_some_and(|source| source == name));
        said.extend(positions.map(|(name, position)| fenced("statement", name, &format!("{name} holds: {position}"))));
        if said.is_empty() { Ok("No other seat has claimed anything like it.".into()) } else { Ok(said.join("\n")) }
    }

    fn request(&self, input: &Value) -> Result<String, String> {
        if self.last_round {
            return Err("this is the last round: nobody could answer any more".into());
        }
        let (query, reason) = (text(input, "query")?, text(input, "reason")?);
        if query.chars().count() > 1000 || reason.chars().count() > 500 {
            return Err("at most 1000 characters for the query and 500 for the reason".into());
        }
        Ok("Noted for whoever asked the question, who can answer when the debate is taken further. Go on without it and say what depends on it."
            .into())
    }
}

impl Toolbox for TurnTools {
    fn tools(&self) -> Vec<ToolDef> {
        let about = "Looks up what other seats have claimed about something, with ids and the evidence behind it.";
        let asks = json!({"claim": words("What to look up"), "source_seat": words("Only claims of this seat")});
        let mut tools = vec![tools::calculator(), tool(FACT_CHECK, about, asks, &["claim"])];
        tools.extend(self.files.tool());
        let priority = json!({"type": "string", "enum": ["required", "optional"]});
        tools.push(tool(
            REQUEST_CONTEXT,
            "Asks whoever put the question for something you need to know. The debate goes on without waiting.",
            json!({"query": words("What you need to know"), "reason": words("What depends on it"), "priority": priority}),
            &["query", "reason"],
        ));
        tools
    }

    fn call(&self, name: &str, input: &Value) -> Result<String, String> {
        match name {
            CALCULATE => tools::calculate(input),
            FACT_CHECK => self.fact_check(input),
            SEARCH_FILES if self.files.tool().is_some() => self.files.search(input),
            REQUEST_CONTEXT => self.request(input),
            other => Err(format!("there is no tool {other}")),
        }
    }

    fn most(&self) -> usize {
        self.most
    }
}

/// What a seat asked of whoever put the question.
#[derive(Clone, Debug, Serialize)]
pub struct ContextRequest {
    query: String,
    reason: String,
    /// `required` or `optional`.
    priority: &'static str,
    seat: String,
    round: u32,
}

impl ContextRequest {
    pub fn in_words(&self) -> String {
        format!("{} ({}, asked by {} in round {}; what depends on it: {})", self.query, self.priority, self.seat, self.round, self.reason)
    }
}

/// The requests a seat made in its turn.
pub fn context_requests(tools: &[ToolRun], seat: &str, round: u32) -> impl Iterator<Item = ContextRequest> {
    tools.iter().filter(|run| run.name == REQUEST_CONTEXT && !run.error).map(move |run| {
        let input = |name: &str| run.input.get(name).and_then(Value::as_str).unwrap_or_default();
        let priority = if input("priority") == "optional" { "optional" } else { "required" };
        ContextRequest { query: input("query").to_owned(), reason: input("reason").to_owned(), priority, seat: seat.to_owned(), round }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roundtable::record::Label;

    fn tools(last_round: bool) -> TurnTools {
        let mut record = DebateRecord::new(2);
        record.introduce(0, 1, "Queues retry failed jobs.", Label::Infer);
        record.introduce(1, 1, "Cron jobs fail silently.", Label::Assume);
        let question = Question { text: "q".into(), content: Some("The draft contract.".into()), ..Question::default() };
        TurnTools::new(&record, &["S1".into(), "S2".into()], 0, [(1, "Keep cron".to_owned())], &question, last_round, 10)
    }

    #[test]
    fn a_seat_hears_what_others_claimed_and_not_its_own_words() {
        let tools = tools(false);
        let found = tools.call(FACT_CHECK, &json!({"claim": "jobs fail"})).expect("an answer");
        assert!(found.contains("C2") && !found.contains("C1"), "{found}");
        let of = tools.call(FACT_CHECK, &json!({"claim": "jobs", "source_seat": "S2"})).expect("an answer");
        assert!(of.contains("S2 holds: Keep cron"), "{of}");
        assert!(tools.call(FACT_CHECK, &json!({"claim": "jobs", "source_seat": "S9"})).is_err_and(|error| error.contains("S1, S2")));
    }

    #[test]
    fn the_shared_tools_and_requests() {
        let tools = tools(false);
        assert!(tools.call(SEARCH_FILES, &json!({"query": "draft contract"})).is_ok_and(|found| found.starts_with("<file label=\"content\">")));
        assert_eq!(tools.call(CALCULATE, &json!({"expression": "3 * (2 + 4) / 4"})), Ok("4.5".into()));
        assert!(tools.call(REQUEST_CONTEXT, &json!({"query": "how many jobs?", "reason": "the cost"})).is_ok());
        assert!(self::tools(true).call(REQUEST_CONTEXT, &json!({"query": "q", "reason": "r"})).is_err_and(|error| error.contains("last round")));
        assert!(tools.call("search_web", &json!({})).is_err());
    }
}
