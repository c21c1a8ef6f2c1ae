//! Crux: the cards, the rooms they came out of, who moved, and the record of it all.

use super::{Found, Seen, flat, list, text};
use serde_json::Value;

pub fn crux(seen: &Seen, found: &mut Found) {
    let cruxes = list(&seen.decision, "cruxes");
    let (cards, rooms, ends) = (given(seen, "crux_card"), seen.data("crux_room"), seen.data("crux_room_complete"));
    found.same((cards.len(), rooms.len(), ends.len()), (cruxes.len(), cruxes.len(), cruxes.len()), "a card, a room and its end for each crux");
    for (at, (card, crux)) in cards.iter().zip(cruxes).enumerate() {
        found.same(text(card, "question"), text(crux, "question"), "the card's question and the decision's");
        room(seen, card, rooms.get(at), ends.get(at), found);
        status(crux, found);
    }
    // A card that nobody could write has no reply.
    let written = cards.iter().zip(cruxes).filter(|(card, _)| card["fallback"] == false).map(|(_, crux)| crux);
    for (crux, (_, reply)) in written.zip(seen.said("card")) {
        as_written(crux, &reply, found);
    }
    once(seen, &rooms, cruxes, found);
    summary(seen, cruxes, found);
    by_nobody_who_debates(seen, found);
    shifts(seen, found);
    for (_, record) in seen.said("report") {
        recorded(seen, &record, found);
    }
    let again = seen.data("disagreement").iter().filter(|row| row["spawn"] == false).count();
    found.count_if(again > 0, "a contradiction without a room");
}

/// What somebody gave at a stage; whoever gave nothing has a row as well.
fn given(seen: &Seen, stage: &str) -> Vec<Value> {
    seen.data(stage).into_iter().filter(|data| data["error"].is_null()).collect()
}

/// A room ends, and says so with what was said in it.
fn room(seen: &Seen, card: &Value, room: Option<&Value>, end: Option<&Value>, found: &mut Found) {
    let (Some(room), Some(end)) = (room, end) else { return };
    let id = text(room, "roomId");
    found.must(text(end, "roomId") == id && text(card, "cruxRoomId") == id && end["cardId"] == card["id"], format!("the parts of {id}"));
    found.same(text(end, "status"), "complete", id);
    found.same(&end["resolved"], &card["resolved"], "a room and its card on whether it is resolved");
    let said = given(seen, "crux_message").iter().filter(|message| text(message, "roomId") == id).count() as u64;
    found.same(end["messages"].as_u64(), Some(said), "messages of a room");
    let surfaced = seen.data("exit_check").iter().any(|check| text(check, "roomId") == id && check["cruxSurfaced"] == true);
    found.same(text(end, "endedBy") == "surfaced", surfaced, "a room that surfaced");
    found.count(text(end, "endedBy"));
}

/// What a card is called agrees with the two positions on it.
fn status(crux: &Value, found: &mut Found) {
    let stances: Vec<&str> = list(crux, "positions").iter().map(|position| text(position, "position")).collect();
    let [first, second] = stances.as_slice() else { return found.must(false, format!("{} positions", stances.len())) };
    let resolved = crux["resolved"] == true;
    found.must(!resolved || first == second, format!("resolved with {first} against {second}: {}", text(crux, "question")));
    found.same(resolved, crux["resolution"].is_string(), "resolved, and on what");
    found.must(!resolved || crux["proposed"].is_null(), "settled, and only put forward");
    found.same(crux["weak"] == true, !resolved && first == second && *first != "NUANCED", "a weak crux");
    found.count(if resolved { "resolved" } else { "open" });
    found.count_if(crux["weak"] == true, "weak");
}

/// A card holds what its writer said, and calls it resolved only where the answers are one.
fn as_written(crux: &Value, reply: &Value, found: &mut Found) {
    let positions = list(reply, "positions");
    let of = |at: usize, field: &str| positions.get(at).map_or("", |position| text(position, field));
    let depends = of(0, "position") == "NUANCED" && (of(0, "condition") != of(1, "condition") || of(0, "condition").is_empty());
    let same = positions.len() == 2 && of(0, "position") == of(1, "position") && !depends;
    let called = reply["resolved"] == true;
    let offered = reply["resolution"].as_str().filter(|text| !text.is_empty());
    found.same(crux["resolved"] == true, called && same && offered.is_some(), "resolved as it was written");
    found.count_if(called && !same, "called resolved and left open");
    let kept = if crux["resolved"] == true { &crux["resolution"] } else { &crux["proposed"] };
    found.same(kept.as_str(), offered, "what was put forward");
    for position in list(crux, "positions") {
        let own = positions.iter().find(|own| text(own, "persona") == text(position, "persona"));
        found.same(own.map(|own| text(own, "position")), Some(text(position, "position")), text(position, "persona"));
        let given = own.map(|own| text(own, "falsifier")).filter(|falsifier| !falsifier.is_empty());
        found.same(given, position["falsifier"].as_str(), "a falsifier");
        found.count_if(given.is_none(), "no falsifier given");
    }
}

/// No question has two rooms or two cards, and each is set once near the answer.
fn once(seen: &Seen, rooms: &[Value], cruxes: &[Value], found: &mut Found) {
    let plain = |value: &Value| text(value, "question").to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let repeated = |list: &[Value]| list.iter().enumerate().any(|(at, each)| list[..at].iter().any(|before| plain(before) == plain(each)));
    found.must(!repeated(rooms), "two rooms for one question");
    found.must(!repeated(cruxes), "two cards for one question");
    let [_, markdown, _] = &seen.pages;
    let near = markdown.split("## The record").next().unwrap_or_default();
    for crux in cruxes {
        let question = flat(text(crux, "question"));
        found.same(seen.answer().matches(&format!("### {question}\n")).count(), 1, "the crux in the answer");
        found.same(near.matches(&format!("**{question}**")).count(), 0, "the card beside an answer that holds it");
        let state = if crux["resolved"] == true { "Settled." } else { "Open." };
        found.must(flat(seen.answer()).contains(&format!("### {question} {state}")), format!("{state} {question}"));
        for position in list(crux, "positions") {
            let told = format!("**{}: {}.**", text(position, "persona"), text(position, "position"));
            found.must(seen.answer().contains(&told), told);
        }
    }
    found.same(near.matches("Who moved").count(), usize::from(!list(&seen.decision, "shifts").is_empty()), "who moved, once");
}

/// The first sentence counts what the decision lists.
fn summary(seen: &Seen, cruxes: &[Value], found: &mut Found) {
    let open = cruxes.iter().filter(|crux| crux["resolved"] == false).count();
    let told = match (cruxes.len(), open) {
        (0, _) => "No crux was found.".to_owned(),
        (1, 0) => "One crux was found, and settled:".to_owned(),
        (1, _) => "One crux was found, still open:".to_owned(),
        (2, 0) => "Two cruxes were found, and both are settled.".to_owned(),
        (2, 2) => "Two cruxes were found, and both are still open.".to_owned(),
        (all, 0) => format!("{all} cruxes were found, and all are settled."),
        (all, open) if all == open => format!("{all} cruxes were found, and all are still open."),
        (all, open) => format!("{all} cruxes were found; {open} of them "),
    };
    found.must(seen.summary().starts_with(&told), format!("{told} and not: {}", seen.summary()));
}

/// Cards and the record are written by somebody who said nothing in the debate.
fn by_nobody_who_debates(seen: &Seen, found: &mut Found) {
    let debating: Vec<u32> = seen.said("opening").iter().map(|(seat, _)| *seat).collect();
    let writers = seen.said("card").into_iter().chain(seen.said("report")).map(|(seat, _)| seat);
    let signed = seen.verdict.answer.iter().flat_map(|answer| answer.by.iter().copied());
    for seat in writers.chain(signed) {
        found.must(!debating.contains(&seat), format!("seat {seat} debates and writes about it"));
    }
}

/// Who moved is what the clerk said of them.
fn shifts(seen: &Seen, found: &mut Found) {
    let told = list(&seen.decision, "shifts");
    let Some((_, reply)) = seen.said("shifts").pop() else { return found.same(told.len(), 0, "shifts nobody judged") };
    for shift in told {
        let name = text(shift, "persona");
        let own = list(&reply, "shifts").iter().find(|own| text(own, "name") == name);
        found.same(own.and_then(|own| own["shifted"].as_bool()), shift["shifted"].as_bool(), name);
        let how = if shift["shifted"] == true { "moved" } else { "stayed" };
        let line = format!("{name} {how}: {}", flat(text(shift, "summary")));
        found.must(own.is_none() || seen.answer().contains(&line), line);
        found.count(how);
    }
}

/// The record holds every stance with its reason and every piece of evidence, in the row and in the answer.
fn recorded(seen: &Seen, record: &Value, found: &mut Found) {
    let row = given(seen, "debate_summary").pop().unwrap_or_default();
    let answer = flat(seen.answer());
    for claim in list(record, "claims") {
        found.must(answer.contains(&flat(text(claim, "claim"))), format!("a claim is missing: {claim}"));
        for stance in list(claim, "stances") {
            let line = format!("{} {}: {}", text(stance, "persona"), text(stance, "position"), flat(text(stance, "reasoning")));
            found.must(answer.contains(&line), format!("a stance and its reason: {line}"));
        }
    }
    let count = |of: &Value, ledger: &str, side: &str| list(of, ledger).iter().map(|each| list(each, side).len()).sum::<usize>();
    for (side, verb) in [("accepted", "accepts"), ("challenged", "challenges")] {
        found.same(count(record, "evidence_ledger", side), count(&row, "evidenceLedger", side), side);
        for (name, item) in
            list(record, "evidence_ledger").iter().flat_map(|own| list(own, side).iter().map(move |item| (text(own, "persona"), item)))
        {
            let line = format!("{name} {verb}: {} Because: {}", flat(text(item, "claim")), flat(text(item, "reason")));
            found.must(answer.contains(&line), format!("the ledger: {line}"));
            found.count(verb);
        }
    }
    found.same(list(&seen.decision, "agreements").len(), list(record, "agreements").len(), "agreements");
}
