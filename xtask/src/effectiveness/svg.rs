//! Line charts as SVG.
//!
//! In: a [`Chart`]. Out: text without style sheet and script, so that every viewer shows it alike.

use std::fmt::Write;

/// A chart of shares over time or over attempts.
pub(crate) struct Chart {
    /// Text above the plot.
    pub title: String,
    /// End of the horizontal axis, which begins at 0.
    pub end: f64,
    /// Label of the horizontal axis.
    pub axis: String,
    /// The curves, in the order of the legend.
    pub lines: Vec<Line>,
}

/// One curve of a chart.
pub(crate) struct Line {
    /// Name in the legend.
    pub name: String,
    /// Positions on the horizontal axis, ascending, with shares from 0 to 1.
    pub points: Vec<(f64, f64)>,
}

/// Colour and dashes of each curve. Dashes distinguish curves without colours as well.
const LINE_STYLES: [(&str, &str); 5] =
    [("#0072b2", "none"), ("#d55e00", "9 4"), ("#000000", "2 3"), ("#009e73", "12 3 2 3"), ("#cc79a7", "5 2")];

/// Size of the image in pixels.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
/// Bounds of the plot.
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = HEIGHT - 56.0;
/// Width of one entry of the legend, at most.
const LEGEND_ENTRY: f64 = 168.0;
/// Width of the whole legend.
const LEGEND: f64 = RIGHT - LEFT;

/// The chart as an SVG document.
pub(crate) fn svg(chart: &Chart) -> String {
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13" fill="#222222">"##
    );
    let _ = writeln!(svg, r##"<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>"##);
    text(&mut svg, (LEFT, 26.0), "start", r#" font-size="15""#, &chart.title);
    let end = if chart.end > 0.0 { chart.end } else { 1.0 };
    let x = |position: f64| LEFT + (RIGHT - LEFT) * (position / end).clamp(0.0, 1.0);
    let y = |share: f64| BOTTOM - (BOTTOM - TOP) * share.clamp(0.0, 1.0);
    for percent in (0..=100).step_by(10) {
        let height = y(f64::from(percent) / 100.0);
        grid(&mut svg, (LEFT, height), (RIGHT, height));
        text(&mut svg, (LEFT - 8.0, height + 4.5), "end", "", &format!("{percent} %"));
    }
    let step = tick(end);
    for count in 0.. {
        let seconds = step * f64::from(count);
        if seconds > end + step * 1e-6 {
            break;
        }
        grid(&mut svg, (x(seconds), TOP), (x(seconds), BOTTOM));
        text(&mut svg, (x(seconds), BOTTOM + 20.0), "middle", "", &short(seconds));
    }
    text(&mut svg, ((LEFT + RIGHT) / 2.0, BOTTOM + 42.0), "middle", "", &chart.axis);
    for (index, line) in chart.lines.iter().enumerate() {
        let (colour, dashes) = LINE_STYLES[index % LINE_STYLES.len()];
        let style = format!(r#"fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}""#);
        let points: Vec<String> =
            line.points.iter().map(|&(seconds, share)| format!("{:.1},{:.1}", x(seconds), y(share))).collect();
        let _ = writeln!(svg, r#"<polyline {style} points="{}"/>"#, points.join(" "));
        // The legend shows the last value, which distinguishes curves that lie close together.
        let left = LEFT + LEGEND_ENTRY.min(LEGEND / chart.lines.len() as f64) * index as f64;
        let _ = writeln!(svg, r#"<path {style} d="M{left:.1} 49 h28"/>"#);
        let last = line.points.last().map_or(0.0, |(_, share)| 100.0 * share);
        text(&mut svg, (left + 36.0, 53.5), "start", "", &format!("{} {last:.1} %", line.name));
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line of the grid.
fn grid(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(svg, r##"<path stroke="#dddddd" d="M{:.1} {:.1} L{:.1} {:.1}"/>"##, from.0, from.1, to.0, to.1);
}

/// A text at a point, with further attributes.
fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, more: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}"{more}>{text}</text>"#);
}

/// The distance of ticks: 1, 2 or 5 times a power of ten, the least that gives at most ten steps.
fn tick(end: f64) -> f64 {
    let least = end / 10.0;
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(least)
}

/// Seconds with at most two digits after the point and no zeros at the end.
fn short(seconds: f64) -> String {
    let text = format!("{seconds:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        let line = |name: &str, points: &[(f64, f64)]| Line { name: name.into(), points: points.to_vec() };
        let chart = Chart {
            title: "Branches covered, mean of 2 classes < all & 3 seeds".into(),
            end: 10.5,
            axis: "seconds since the start of the program".into(),
            lines: vec![
                line("random", &[(0.0, 0.0), (2.0, 0.5), (10.5, 0.625)]),
                line("search", &[(0.0, 0.0), (2.0, 0.55), (10.5, 0.7)]),
                line("hybrid", &[(0.0, 0.0), (2.0, 0.5), (4.0, 0.7), (10.5, 0.8)]),
            ],
        };
        let found = svg(&chart);
        let path = crate::run::project_root().join("xtask/src/effectiveness/goldens/curves.svg");
        tracewright_test_support::check_golden(&path, &found);
    }

    #[test]
    fn ticks_are_round() {
        let ticks = [2.0, 3.0, 10.0, 10.4, 30.0, 60.0, 3600.0].map(tick);
        assert_eq!(ticks.map(short), ["0.2", "0.5", "1", "2", "5", "10", "500"]);
    }

    #[test]
    fn a_chart_of_nothing_has_axes() {
        let svg = svg(&Chart { title: String::new(), end: 0.0, axis: String::new(), lines: Vec::new() });
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
