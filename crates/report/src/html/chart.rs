//! Bars as SVG: text keeps its size and bars stretch, so one drawing serves a telephone and a wall.

use super::safe::esc;
use crate::text::fit;

pub struct ChartBar {
    pub name: String,
    /// 0 to 1; `None`: no bar.
    pub share: Option<f64>,
    pub value: String,
    /// Set apart by a darker bar with an outline; the value says so in words.
    pub leads: bool,
}

/// `about` tells in words what the bars show.
pub fn bars(title: &str, about: &str, rows: &[ChartBar]) -> String {
    const STEP: usize = 44;
    let drawn = rows.iter().any(|row| row.share.is_some());
    let step = if drawn { STEP } else { STEP / 2 };
    let mut out = format!(
        "<svg class=\"chart\" role=\"img\" width=\"100%\" height=\"{}\"><title>{}</title><desc>{}</desc>",
        rows.len() * step,
        esc(title),
        esc(about)
    );
    for (i, row) in rows.iter().enumerate() {
        let top = i * step;
        let weight = if row.leads { " class=\"leads\"" } else { "" };
        out.push_str(&format!("<text x=\"0\" y=\"{}\"{weight}>{}</text>", top + 15, esc(&fit(&row.name, 30, "…"))));
        out.push_str(&format!("<text x=\"100%\" y=\"{}\" text-anchor=\"end\"{weight}>{}</text>", top + 15, esc(&row.value)));
        if drawn {
            let share = row.share.unwrap_or(0.0);
            let share = if share.is_finite() { share.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
            out.push_str(&format!("<rect class=\"track\" x=\"0\" y=\"{0}\" width=\"100%\" height=\"10\" rx=\"2\"/>", top + 22));
            let class = if row.leads { "bar leads" } else { "bar" };
            out.push_str(&format!("<rect class=\"{class}\" x=\"0\" y=\"{}\" width=\"{share:.1}%\" height=\"10\" rx=\"2\"/>", top + 22));
        }
    }
    out.push_str("</svg>");
    out
}

/// A sum of signed parts.
pub struct Stack {
    pub name: String,
    pub value: String,
    /// Each with its name; what speaks against goes to the left of the line.
    pub parts: Vec<(String, f64)>,
}

/// Sums as stacked bars around one line. Every part names itself to whoever points at it; a table beside it gives the numbers.
pub fn stacks(title: &str, about: &str, rows: &[Stack]) -> String {
    const STEP: usize = 44;
    let side = |row: &Stack, sign: f64| row.parts.iter().map(|(_, part)| (part * sign).max(0.0)).filter(|part| part.is_finite()).sum::<f64>();
    let widest = |sign: f64| rows.iter().map(|row| side(row, sign)).fold(0.0, f64::max);
    let (left, right) = (widest(-1.0), widest(1.0));
    let unit = if left + right > 0.0 { 100.0 / (left + right) } else { 0.0 };
    let zero = left * unit;
    let height = rows.len() * STEP;
    let mut out =
        format!("<svg class=\"chart\" role=\"img\" width=\"100%\" height=\"{height}\"><title>{}</title><desc>{}</desc>", esc(title), esc(about));
    for (i, row) in rows.iter().enumerate() {
        let top = i * STEP;
        out.push_str(&format!("<text x=\"0\" y=\"{}\">{}</text>", top + 15, esc(&fit(&row.name, 30, "…"))));
        out.push_str(&format!("<text x=\"100%\" y=\"{}\" text-anchor=\"end\">{}</text>", top + 15, esc(&row.value)));
        out.push_str(&format!("<rect class=\"track\" x=\"0\" y=\"{}\" width=\"100%\" height=\"14\"/>", top + 22));
        let (mut low, mut high) = (zero, zero);
        for (at, (name, part)) in row.parts.iter().enumerate().filter(|(_, (_, part))| part.is_finite() && *part != 0.0) {
            let width = part.abs() * unit;
            let x = if *part < 0.0 { low - width } else { high };
            if *part < 0.0 {
                low -= width
            } else {
                high += width
            }
            let tip = esc(&format!("{name} {part:+.2}"));
            let class = at % 6;
            out.push_str(&format!(
                "<rect class=\"part-{class}\" x=\"{x:.2}%\" y=\"{}\" width=\"{width:.2}%\" height=\"14\"><title>{tip}</title></rect>",
                top + 22
            ));
        }
        out.push_str(&format!("<rect class=\"zero\" x=\"{zero:.2}%\" y=\"{}\" width=\"1\" height=\"20\"/>", top + 19));
    }
    out.push_str("</svg>");
    out
}

/// Bars and below them what they come to.
pub fn chart(title: &str, rows: &[ChartBar], sum: &str) -> String {
    let about: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.name, row.value)).collect();
    format!("{}<p class=\"soft\">{}</p>", bars(title, &format!("{}. {sum}", about.join("; ")), rows), esc(sum))
}
