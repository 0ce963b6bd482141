//! The solver stack. In: a solver; out: the solver under all layers. The only place that knows the
//! order of the layers.

use super::{BranchAndPrune, Cache, Counted, Descent, Folding, FreshSolver, Frozen, Lengths, Slicing, Solver};

/// A layer of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Constant clauses, and bounds that contradict each other.
    Folding,
    /// Only clauses that share inputs with the last one.
    Slicing,
    /// Known outcomes, cores and models.
    Cache,
    /// Solvers without history, for queries that the layers below leave open.
    FreshSolver,
    /// Local search on the values of the run.
    Descent,
    /// Bounds of subterms, split in halves.
    BranchAndPrune,
    /// String lengths put in as constants.
    Lengths,
    /// Inputs outside the last clause keep the values of the run.
    Frozen,
}

impl Layer {
    /// The layers from the outside in, cheapest first.
    pub const ALL: [Layer; 8] = [
        Layer::Folding,
        Layer::Slicing,
        Layer::Cache,
        Layer::FreshSolver,
        Layer::Descent,
        Layer::BranchAndPrune,
        Layer::Lengths,
        Layer::Frozen,
    ];

    /// Puts this layer over a solver.
    pub fn over<'s>(self, inner: Box<dyn Solver + 's>) -> Box<dyn Solver + 's> {
        match self {
            Layer::Folding => Box::new(Folding::new(inner)),
            Layer::Slicing => Box::new(Slicing::new(inner)),
            Layer::Cache => Box::new(Cache::new(inner)),
            Layer::FreshSolver => Box::new(FreshSolver::new(inner)),
            Layer::Descent => Box::new(Descent::new(inner)),
            Layer::BranchAndPrune => Box::new(BranchAndPrune::new(inner)),
            Layer::Lengths => Box::new(Lengths::new(inner)),
            Layer::Frozen => Box::new(Frozen::new(inner)),
        }
    }
}

/// The whole stack over a solver, usually a [`super::ProcessSolver`].
pub fn standard<'s>(base: impl Solver + 's) -> Counted<Box<dyn Solver + 's>> {
    let base: Box<dyn Solver + 's> = Box::new(base);
    Counted::new(Layer::ALL.into_iter().rev().fold(base, |stack, layer| layer.over(stack)))
}
