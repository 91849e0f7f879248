//! Cells in every dress.
