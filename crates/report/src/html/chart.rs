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
