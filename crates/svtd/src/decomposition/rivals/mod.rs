//! Other ways to the rotation, which the default is measured against.

pub mod als;
pub mod eigenvectors;
pub mod singular_vectors;
pub mod tensor_power;
mod unfolded;
