//! Builds the cluster.

use std::sync::Arc;

use super::{Binding, Callable, Cluster, ClusterConfig};
use crate::program::{ClassName, GenericType, Program, TargetError};

impl Cluster {
    /// The cluster of a class that [`crate::program::find_target`] accepted.
    pub fn build(program: &Arc<Program>, target: &ClassName, config: &ClusterConfig) -> Result<Cluster, TargetError> {
        let _ = (program, config);
        Err(TargetError::NothingToCall { name: target.clone(), why: "building is not written yet".to_string() })
    }

    /// The types of one use of a callable. `receiver`: the receiver's type as far as it is known; `wanted`: the type its value is
    /// for. A type variable that neither fixes is given to `pick`, which takes one of the candidates by index.
    pub fn bind(
        &self,
        callable: &Callable,
        receiver: Option<&GenericType>,
        wanted: Option<&GenericType>,
        pick: &mut dyn FnMut(&[GenericType]) -> usize,
    ) -> Binding {
        let _ = (receiver, wanted, pick);
        Binding {
            parameters: callable
                .parameters
                .iter()
                .map(|parameter| parameter.generic.resolve(&callable.type_parameters))
                .collect(),
            returns: callable.generic_returns.resolve(&callable.type_parameters),
        }
    }
}
