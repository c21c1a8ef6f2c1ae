//! Who would have decided otherwise: the authors of the other positions, and the seats of the panel that recommend another.

use crate::collapse::cards::text;
use crate::collapse::panel::ruling::Ruling;
use crate::collapse::rounds::docket::Docket;
use synod_types::Dissent;

/// The authors of the other viable positions, with their cards; then whoever on the panel would have taken another one, recorded or played.
pub fn dissent(docket: &Docket, ruling: &Ruling) -> Vec<Dissent> {
    let Some(winner) = ruling.winner else { return Vec::new() };
    let taken = docket.positions[winner].id();
    let authors = docket.positions.iter().enumerate().filter(|(at, position)| *at != winner && position.viable());
    let mut out: Vec<Dissent> = authors
        .filter_map(|(_, position)| {
            let (card, label) = (&position.card, Some(position.id().to_owned()));
            // What it would do comes first: who reads one line of it reads that.
            Some(Dissent { seat: Some(position.author?), label, text: format!("{}\n\n{}", card.gist(), text::card_text(card)) })
        })
        .collect();
    for each in ruling.panel.iter().flat_map(|panel| &panel.evaluations) {
        let evaluation = &each.evaluation;
        let Some(other) = evaluation.recommendation.as_ref().filter(|other| *other != taken) else { continue };
        let (Some(theirs), Some(ours)) = (evaluation.position_scores.get(other), evaluation.position_scores.get(taken)) else { continue };
        // A seat that rates both alike has nothing against the one that is taken.
        if each.seat.is_some() && theirs <= ours {
            continue;
        }
        let why = evaluation.rationale.get(other).map_or("", |why| why.trim());
        let why = if why.is_empty() { ".".to_owned() } else { format!(": {why}") };
        let text = format!("would take {other}, rated {theirs:.2} against {ours:.2} for {taken}{why}");
        let name = evaluation.agent.as_str().replace('_', " ");
        let name = if evaluation.member.is_empty() { name } else { format!("{name} {}", evaluation.member) };
        out.push(Dissent { seat: each.seat, label: Some(name), text });
    }
    out
}
