//! Incremental evaluation for a search over models: one input changes at a time. In: terms, a
//! model, new values. Out: the values of all subterms. It does not know what is searched for.

use super::evaluate::{apply_binary, apply_unary};
use super::{Input, Model, Term, TermId, TermStore, Value};
use rustc_hash::FxHashMap;

/// Index of a subterm. Operands have smaller indices.
pub type NodeIx = usize;

/// The subterms of some roots, with their values under a model.
#[derive(Debug)]
pub struct IncrementalEvaluator {
    nodes: Vec<EvalNode>,
    values: Vec<Value>,
    roots: Vec<NodeIx>,
    inputs: Vec<Input>,
    /// By input number: its node.
    leaves: Vec<NodeIx>,
    /// By input number: the nodes that depend on it, operands first, without the input itself.
    dependents: Vec<Vec<u32>>,
    /// The values that the last change overwrote.
    overwritten: Vec<(u32, Value)>,
    /// By node: the number of the change that last changed its value.
    changed: Vec<u32>,
    change: u32,
}

/// A [`Term`] whose operands are node indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalNode {
    /// A constant, whose value is stored beside the node.
    Constant,
    /// An input of the test case.
    Input,
    /// An operator with its operand.
    Unary(super::UnaryOp, NodeIx),
    /// An operator with its operands.
    Binary(super::BinaryOp, NodeIx, NodeIx),
    /// Condition, then, else.
    Ite(NodeIx, NodeIx, NodeIx),
}

impl IncrementalEvaluator {
    /// An evaluator of the roots under a model. `None` if the sum, over subterms, of the inputs
    /// they depend on exceeds `most`.
    pub(crate) fn new(terms: &TermStore, roots: &[TermId], model: &Model, most: usize) -> Option<IncrementalEvaluator> {
        let reachable = terms.reachable(roots);
        let inputs = terms.symbols_of_all(roots);
        let numbers: FxHashMap<Input, u32> = inputs.iter().enumerate().map(|(number, input)| (*input, number as u32)).collect();
        let places: FxHashMap<TermId, NodeIx> = reachable.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        let mut evaluator = IncrementalEvaluator {
            nodes: Vec::with_capacity(reachable.len()),
            values: Vec::with_capacity(reachable.len()),
            roots: roots.iter().map(|root| places[root]).collect(),
            leaves: vec![0; inputs.len()],
            dependents: vec![Vec::new(); inputs.len()],
            overwritten: Vec::new(),
            changed: vec![0; reachable.len()],
            change: 0,
            inputs,
        };
        let mut dependencies = 0;
        for (place, id) in reachable.iter().enumerate() {
            let term = terms.get(*id);
            if let Term::Input(input) = term {
                evaluator.leaves[numbers[&input] as usize] = place;
            } else {
                let inputs = terms.symbols_of(*id);
                dependencies += inputs.len();
                if dependencies > most {
                    return None;
                }
                for input in inputs {
                    evaluator.dependents[numbers[input] as usize].push(place as u32);
                }
            }
            let (node, value) = match term {
                Term::Constant(value) => (EvalNode::Constant, value),
                Term::Input(input) => {
                    let zero = Value::zero(input.kind.sort());
                    (EvalNode::Input, model.get(input.symbol).filter(|value| value.sort() == zero.sort()).unwrap_or(zero))
                }
                Term::Unary(op, a) => {
                    let a = places[&a];
                    (EvalNode::Unary(op, a), apply_unary(op, evaluator.values[a]))
                }
                Term::Binary(op, a, b) => {
                    let (a, b) = (places[&a], places[&b]);
                    (EvalNode::Binary(op, a, b), apply_binary(op, evaluator.values[a], evaluator.values[b]))
                }
                Term::Ite(condition, a, b) => {
                    let (condition, a, b) = (places[&condition], places[&a], places[&b]);
                    let chosen = if evaluator.values[condition] == Value::Bool(true) { a } else { b };
                    (EvalNode::Ite(condition, a, b), evaluator.values[chosen])
                }
            };
            evaluator.nodes.push(node);
            evaluator.values.push(value);
        }
        Some(evaluator)
    }

    /// Number of subterms.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes of the roots, in their order.
    pub(crate) fn roots(&self) -> &[NodeIx] {
        &self.roots
    }

    /// The inputs in symbol order. The position is the number of the input.
    pub(crate) fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The subterm of a node.
    pub(crate) fn node(&self, place: NodeIx) -> EvalNode {
        self.nodes[place]
    }

    /// The present value of a node.
    pub(crate) fn value(&self, place: NodeIx) -> Value {
        self.values[place]
    }

    /// The value of the input with this number.
    pub(crate) fn input(&self, number: usize) -> Value {
        self.values[self.leaves[number]]
    }

    /// The node of the input with this number.
    pub(crate) fn leaf(&self, number: usize) -> NodeIx {
        self.leaves[number]
    }

    /// Number of subterms that depend on the input with this number.
    pub(crate) fn reach(&self, number: usize) -> usize {
        self.dependents[number].len()
    }

    /// Sets an input to a value of its sort.
    pub(crate) fn set(&mut self, number: usize, value: Value) {
        self.change += 1;
        self.overwritten.clear();
        self.overwrite(self.leaves[number] as u32, value);
        for index in 0..self.dependents[number].len() {
            let place = self.dependents[number][index];
            let has_changed = |operand: NodeIx| self.changed[operand] == self.change;
            let value = match self.nodes[place as usize] {
                EvalNode::Constant | EvalNode::Input => continue,
                EvalNode::Unary(op, a) if has_changed(a) => apply_unary(op, self.values[a]),
                EvalNode::Binary(op, a, b) if has_changed(a) || has_changed(b) => {
                    apply_binary(op, self.values[a], self.values[b])
                }
                EvalNode::Ite(condition, a, b) if has_changed(condition) || has_changed(a) || has_changed(b) => {
                    self.values[if self.values[condition] == Value::Bool(true) { a } else { b }]
                }
                _ => continue,
            };
            if value != self.values[place as usize] {
                self.overwrite(place, value);
            }
        }
    }

    fn overwrite(&mut self, place: u32, value: Value) {
        let before = std::mem::replace(&mut self.values[place as usize], value);
        self.overwritten.push((place, before));
        self.changed[place as usize] = self.change;
    }

    /// Undoes the last change.
    pub(crate) fn undo(&mut self) {
        for (place, value) in self.overwritten.drain(..) {
            self.values[place as usize] = value;
        }
    }

    /// The values of all inputs.
    pub(crate) fn model(&self) -> Model {
        self.inputs.iter().zip(&self.leaves).map(|(input, leaf)| (input.symbol, self.values[*leaf])).collect()
    }
}
