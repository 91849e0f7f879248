//! Other methods to find the rotation, with which the default is compared.

pub mod als;
pub mod eigenvectors;
pub mod singular_vectors;
pub mod tensor_power;
mod unfolded;
