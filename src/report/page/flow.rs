//! The control flow graphs of a class as drawings, and how much of them the tests take.
//!
//! Flows in: the coverage of a class. Flows out: for each method its blocks and ways with their places in the drawing,
//! the tests that take each, and the coverage of edges and conditions (sats §4). Must not know HTML, nor how coverage
//! was measured.
//!
//! Coverage names lines and branch outcomes, not blocks. A test takes an outcome where it covers it. It takes another
//! way where it gets to the block in front, and covers a line of the block behind.

use std::collections::{BTreeMap, BTreeSet};

use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;
use serde::Serialize;

use super::figures::CoverageShare;
use super::tree::{TreeView, tree_view};
use crate::report::{ClassCoverage, CoverageCount, ExplainedTree, FlowWay, MethodCoverage, MethodFlow, NumberSet, TestCoverage};

/// A graph with more blocks is not drawn: nobody reads it.
const MOST_BLOCKS: usize = 150;
/// Sizes in the units of the drawing, about pixels.
const BLOCK_HEIGHT: f64 = 42.0;
const LAYER_HEIGHT: f64 = 104.0;
const CHARACTER: f64 = 7.2;
const PADDING: f64 = 20.0;
const GAP: f64 = 36.0;
const MARGIN: f64 = 24.0;
/// How far a way bends beside the blocks between its ends.
const BEND: f64 = 46.0;
const LABEL_HEIGHT: f64 = 15.0;
/// Longest label of a way, in characters; the list below the drawing has all of it.
const LABEL: usize = 26;

/// The control flow of one method.
#[derive(Debug, Serialize)]
pub(super) struct FlowDrawing<'a> {
    /// As Java declares it.
    method: &'a str,
    edges: CoverageShare,
    conditions: CoverageShare,
    /// The mean of both (sats §4), in percent.
    both: u64,
    /// Why there is no drawing.
    remark: Option<String>,
    width: u32,
    height: u32,
    blocks: Vec<BlockView>,
    ways: Vec<WayView<'a>>,
    /// What symbolic execution decided, where it ran.
    tree: Option<TreeView<'a>>,
}

/// A block in the drawing.
#[derive(Debug, Serialize)]
struct BlockView {
    /// `B0` is the entry.
    name: String,
    lines: String,
    /// Left upper corner.
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    is_covered: bool,
    /// Places of the tests that get here, with spaces between them.
    tests: String,
}

/// A way in the drawing and in the list below it.
#[derive(Debug, Serialize)]
struct WayView<'a> {
    from: usize,
    to: usize,
    /// What holds on the way.
    condition: &'a str,
    /// The same, short enough for the drawing.
    label: String,
    is_exception: bool,
    is_covered: bool,
    /// `2 tests`.
    count: String,
    tests: String,
    /// The line, as an SVG path.
    path: String,
    /// The head of the arrow at its end, the same.
    arrow: String,
    label_x: f64,
    label_y: f64,
}

/// The drawings of the methods that decide something, with their trees.
pub(super) fn flow_drawings<'a>(coverage: &'a ClassCoverage, trees: &'a [ExplainedTree]) -> Vec<FlowDrawing<'a>> {
    let drawn = |method: &'a MethodCoverage| Some(drawing(coverage, trees, &method.method, method.flow.as_ref()?));
    coverage.methods.iter().filter_map(drawn).collect()
}

fn drawing<'a>(
    coverage: &'a ClassCoverage,
    trees: &'a [ExplainedTree],
    method: &'a str,
    flow: &'a MethodFlow,
) -> FlowDrawing<'a> {
    let taken: Vec<BTreeSet<usize>> = coverage.tests.iter().map(|test| ways_of_test(flow, test)).collect();
    let tests_of = |way: usize| -> Vec<usize> { (0..taken.len()).filter(|test| taken[*test].contains(&way)).collect() };
    let is_covered = |way: usize| taken.iter().any(|ways| ways.contains(&way));
    let share = |ways: Vec<usize>| {
        let covered = ways.iter().filter(|way| is_covered(**way)).count();
        CoverageShare::of(CoverageCount { covered, total: ways.len() })
    };
    let numbered = || flow.edges.iter().enumerate();
    let edges = share(numbered().filter(|(_, way)| !way.is_exception).map(|(at, _)| at).collect());
    let conditions = share(numbered().filter(|(_, way)| way.is_of_condition).map(|(at, _)| at).collect());
    let layout = (flow.blocks.len() <= MOST_BLOCKS).then(|| Layout::of(flow));
    let too_many = || format!("The graph has {} blocks, too many for a drawing.", flow.blocks.len());
    let remark = layout.is_none().then(too_many);
    let layout = layout.unwrap_or_default();
    let block = |(at, place): (usize, &BlockPlace)| {
        let is_of = |way: &FlowWay| way.from == at || way.to == at;
        let own = numbered().filter(|(_, way)| is_of(way));
        let through: BTreeSet<usize> = own.flat_map(|(way, _)| tests_of(way)).collect();
        BlockView {
            name: block_name(at),
            lines: lines_in_words(&flow.blocks[at]),
            x: place.x,
            y: place.y,
            width: place.width,
            height: BLOCK_HEIGHT,
            is_covered: !through.is_empty(),
            tests: joined(through),
        }
    };
    let way = |(at, way): (usize, &'a FlowWay)| {
        let tests = tests_of(at);
        let before = flow.edges[..at].iter().filter(|other| other.from == way.from).count();
        let line = layout.line(way, before);
        WayView {
            from: way.from,
            to: way.to,
            condition: if way.is_exception { "an exception is caught" } else { &way.condition },
            label: shortened(&way.condition),
            is_exception: way.is_exception,
            is_covered: !tests.is_empty(),
            count: match tests.len() {
                0 => "no test".to_owned(),
                1 => "1 test".to_owned(),
                count => format!("{count} tests"),
            },
            tests: joined(tests),
            path: line.path,
            arrow: line.arrow,
            label_x: line.label_x,
            label_y: line.label_y,
        }
    };
    FlowDrawing {
        method,
        both: (edges.percent() + conditions.percent()) / 2,
        edges,
        conditions,
        remark,
        width: layout.width as u32,
        height: layout.height as u32,
        blocks: layout.blocks.iter().enumerate().map(block).collect(),
        ways: numbered().map(way).collect(),
        tree: tree_view(trees, method),
    }
}

fn block_name(place: usize) -> String {
    format!("B{place}")
}

fn joined(numbers: impl IntoIterator<Item = usize>) -> String {
    numbers.into_iter().map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

fn lines_in_words(lines: &NumberSet) -> String {
    match lines.iter().count() {
        0 => String::new(),
        1 => format!("line {lines}"),
        _ => format!("lines {lines}"),
    }
}

/// At most [`LABEL`] characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LABEL) {
        None => text.to_owned(),
        Some(_) => text.chars().take(LABEL - 1).chain(['…']).collect(),
    }
}

/// The ways that a test takes, by their places.
fn ways_of_test(flow: &MethodFlow, test: &TestCoverage) -> BTreeSet<usize> {
    let is_covered = |lines: &NumberSet| lines.iter().any(|line| test.lines.contains(line));
    let covers = |block: usize| flow.blocks.get(block).is_some_and(is_covered);
    let has_lines = |block: usize| flow.blocks.get(block).is_some_and(|lines| !lines.is_empty());
    let takes = |way: &FlowWay| match way.branch {
        Some(branch) => test.branches.contains(branch),
        None if way.is_exception => covers(way.to),
        None => covers(way.to) || !has_lines(way.to),
    };
    let begins = covers(0) || !has_lines(0) && (0..flow.blocks.len()).any(covers);
    let mut reached: BTreeSet<usize> = begins.then_some(0).into_iter().collect();
    let mut taken = BTreeSet::new();
    let mut pending: Vec<usize> = reached.iter().copied().collect();
    while let Some(block) = pending.pop() {
        for (at, way) in flow.edges.iter().enumerate().filter(|(_, way)| way.from == block && takes(way)) {
            taken.insert(at);
            if reached.insert(way.to) {
                pending.push(way.to);
            }
        }
    }
    taken
}

/// The ways without those that lead back, which are turned round: then the entry stands above all that it leads to.
fn downward(flow: &MethodFlow) -> BTreeSet<(usize, usize)> {
    let is_drawn = |way: &&FlowWay| way.from != way.to && way.from.max(way.to) < flow.blocks.len();
    let all: BTreeSet<(usize, usize)> = flow.edges.iter().filter(is_drawn).map(|way| (way.from, way.to)).collect();
    let mut back = BTreeSet::new();
    let mut visited = BTreeSet::new();
    for start in 0..flow.blocks.len() {
        // Each block on the way from the start, with the ways from it that are left.
        let behind = |block: usize| all.iter().copied().filter(move |(from, _)| *from == block);
        let mut way = if visited.insert(start) { vec![(start, behind(start))] } else { Vec::new() };
        while let Some((_, left)) = way.last_mut() {
            let Some((from, to)) = left.next() else {
                way.pop();
                continue;
            };
            if way.iter().any(|(block, _)| *block == to) {
                back.insert((from, to));
            } else if visited.insert(to) {
                way.push((to, behind(to)));
            }
        }
    }
    all.into_iter().map(|(from, to)| if back.contains(&(from, to)) { (to, from) } else { (from, to) }).collect()
}

/// Where a block is.
#[derive(Clone, Copy, Debug, Default)]
struct BlockPlace {
    x: f64,
    y: f64,
    width: f64,
    layer: usize,
}

/// Where the blocks of a graph are.
#[derive(Debug, Default)]
struct Layout {
    blocks: Vec<BlockPlace>,
    width: f64,
    height: f64,
}

/// The line of a way, and where its label stands.
#[derive(Debug, Default)]
struct WayLine {
    path: String,
    arrow: String,
    label_x: f64,
    label_y: f64,
}

impl Layout {
    /// Blocks in layers, the entry in the uppermost one.
    fn of(flow: &MethodFlow) -> Layout {
        let characters = |lines: &NumberSet| lines_in_words(lines).chars().count().max(4);
        let width_of = |lines: &NumberSet| characters(lines) as f64 * CHARACTER + PADDING;
        let vertices: Vec<(u32, (f64, f64))> =
            (0..).zip(&flow.blocks).map(|(at, lines)| (at, (width_of(lines), BLOCK_HEIGHT))).collect();
        let ways: Vec<(u32, u32)> = downward(flow).into_iter().map(|(from, to)| (from as u32, to as u32)).collect();
        let config = Config { vertex_spacing: GAP, ..Config::default() };
        let mut layout =
            Layout { blocks: vec![BlockPlace::default(); vertices.len()], width: 2.0 * MARGIN, height: 2.0 * MARGIN };
        // Code that nothing leads to is a graph of its own, beside the others.
        let mut parts = from_vertices_and_edges(&vertices, &ways, &config);
        parts.sort_by_key(|(blocks, ..)| blocks.iter().map(|(block, _)| *block).min());
        let mut left = MARGIN;
        for (blocks, ..) in parts {
            left = layout.place(left, &blocks, |block| vertices[block].1.0) + GAP;
        }
        layout.width = left - GAP + MARGIN + BEND;
        layout
    }

    /// Places the blocks of a part whose left end is there; gives its right end.
    fn place(&mut self, left: f64, blocks: &[(usize, (f64, f64))], width_of: impl Fn(usize) -> f64) -> f64 {
        let layer_key = |y: f64| (y * 16.0).round() as i64;
        let keys: BTreeSet<i64> = blocks.iter().map(|(_, (_, y))| layer_key(*y)).collect();
        let mut layers: BTreeMap<i64, usize> = keys.into_iter().zip(0..).collect();
        let first = blocks.iter().min_by_key(|(block, _)| *block).map(|(_, (_, y))| layer_key(*y));
        let last = layers.len() - 1;
        // The first block stands above the others.
        if first.is_some_and(|first| layers[&first] > last / 2) {
            layers.values_mut().for_each(|layer| *layer = last - *layer);
        }
        let least = blocks.iter().map(|(_, (x, _))| *x).fold(f64::INFINITY, f64::min);
        let mut right = left;
        for (block, (x, y)) in blocks {
            let layer = layers[&layer_key(*y)];
            let width = width_of(*block);
            let y = MARGIN + layer as f64 * LAYER_HEIGHT;
            let place = BlockPlace { x: (left + x - least).round(), y, width, layer };
            right = right.max(place.x + width);
            self.height = self.height.max(place.y + BLOCK_HEIGHT + MARGIN);
            self.blocks[*block] = place;
        }
        right
    }

    /// The line of a way: down to the block below, or beside the blocks up to one above. `before`: how many ways leave
    /// the block in front of it, so that their labels stand below each other.
    fn line(&self, way: &FlowWay, before: usize) -> WayLine {
        let places = self.blocks.get(way.from).zip(self.blocks.get(way.to));
        let Some((from, to)) = places else { return WayLine::default() };
        let middle = |place: &BlockPlace| place.x + place.width / 2.0;
        if to.layer > from.layer {
            let (x1, y1, x2, y2) = (middle(from), from.y + BLOCK_HEIGHT, middle(to), to.y);
            // A way over several layers bends away from the blocks between its ends.
            let bend = if to.layer > from.layer + 1 { BEND * if x2 < x1 { -1.0 } else { 1.0 } } else { 0.0 };
            let half = (y2 - y1) / 2.0;
            let path = curve((x1, y1), (x1 + bend, y1 + half), (x2 + bend, y2 - half), (x2, y2));
            let arrow = format!("M{:.0} {:.0} L{:.0} {:.0} L{x2:.0} {y2:.0} Z", x2 - 4.0, y2 - 8.0, x2 + 4.0, y2 - 8.0);
            return WayLine {
                path,
                arrow,
                label_x: (x1 * 0.68 + x2 * 0.32 + bend * 0.4).round(),
                label_y: y1 + 20.0 + LABEL_HEIGHT * (before % 3) as f64,
            };
        }
        let (x1, y1) = (from.x + from.width, from.y + BLOCK_HEIGHT / 2.0);
        let (x2, y2) = (to.x + to.width, to.y + BLOCK_HEIGHT / 2.0);
        let out = x1.max(x2) + BEND;
        let (y1, y2) = if way.from == way.to { (y1 + 10.0, y2 - 10.0) } else { (y1, y2) };
        let path = curve((x1, y1), (out, y1), (out, y2), (x2, y2));
        let arrow = format!("M{:.0} {:.0} L{:.0} {:.0} L{x2:.0} {y2:.0} Z", x2 + 8.0, y2 - 4.0, x2 + 8.0, y2 + 4.0);
        WayLine { path, arrow, label_x: (x1 + 4.0).round(), label_y: (y1 - 6.0).round() }
    }
}

/// A line from the first to the last point, drawn towards those between, as an SVG path.
fn curve(start: (f64, f64), first: (f64, f64), second: (f64, f64), end: (f64, f64)) -> String {
    let point = |(x, y): (f64, f64)| format!("{x:.0} {y:.0}");
    format!("M{} C{} {} {}", point(start), point(first), point(second), point(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> NumberSet {
        text.parse().expect("ranges")
    }

    fn way(from: usize, to: usize, branch: Option<u32>) -> FlowWay {
        FlowWay { from, to, branch, is_of_condition: branch.is_some(), ..FlowWay::default() }
    }

    /// `while (a > b) { body }`: B0 leads to B1, which decides between B2, which leads back, and B3.
    fn looping() -> MethodFlow {
        MethodFlow {
            blocks: ["3", "4", "5", "7"].map(numbers).into(),
            edges: vec![way(0, 1, None), way(1, 2, Some(0)), way(1, 3, Some(1)), way(2, 1, None)],
        }
    }

    #[test]
    fn a_test_takes_the_ways_between_what_it_covers() {
        let test = |lines: &str, branches: &str| TestCoverage {
            lines: numbers(lines),
            branches: numbers(branches),
            ..TestCoverage::default()
        };
        let taken = |lines, branches| ways_of_test(&looping(), &test(lines, branches)).into_iter().collect::<Vec<_>>();
        assert_eq!(taken("3-4,7", "1"), [0, 2]);
        assert_eq!(taken("3-7", "0-1"), [0, 1, 2, 3]);
        assert!(taken("9", "0-1").is_empty(), "it never enters the method");
    }

    #[test]
    fn each_block_stands_below_the_one_that_leads_there_first() {
        let layout = Layout::of(&looping());
        let layers: Vec<usize> = layout.blocks.iter().map(|block| block.layer).collect();
        assert_eq!(layers, [0, 1, 2, 2]);
        assert!(layout.line(&way(2, 1, None), 0).path.starts_with('M'));
        // `for` with an `if` in it: each way but the one back leads down.
        let ways = [(0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (3, 4), (4, 1)];
        let edges = ways.map(|(from, to)| way(from, to, None)).to_vec();
        let looping = Layout::of(&MethodFlow { blocks: vec![numbers("3"); 6], edges });
        let leads_down = |(from, to): &(usize, usize)| looping.blocks[*from].layer < looping.blocks[*to].layer;
        assert!(ways[..6].iter().all(leads_down) && looping.blocks[0].layer == 0, "{looping:?}");
        let overlap = |one: &BlockPlace, other: &BlockPlace| {
            one.layer == other.layer && one.x < other.x + other.width && other.x < one.x + one.width
        };
        assert!(!overlap(&layout.blocks[2], &layout.blocks[3]), "{layout:?}");
    }

    #[test]
    fn edges_and_conditions_have_figures_of_their_own() {
        let coverage = ClassCoverage {
            methods: vec![crate::report::MethodCoverage { flow: Some(looping()), ..Default::default() }],
            tests: vec![TestCoverage { lines: numbers("3-4,7"), branches: numbers("1"), ..Default::default() }],
            ..ClassCoverage::default()
        };
        let drawings = flow_drawings(&coverage, &[]);
        let drawing = &drawings[0];
        assert_eq!((drawing.edges.percent(), drawing.conditions.percent(), drawing.both), (50, 50, 50));
        assert_eq!(drawing.ways[2].count, "1 test");
    }
}
