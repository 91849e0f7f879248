//! The builder methods that both kinds of parameters have.

/// The builder methods of all kinds of parameters.
macro_rules! shared_params {
    ($params:ident) => {
        impl $params {
            /// How documents are weighted in the moments.
            pub fn weights(mut self, weights: DocumentWeights) -> Self {
                self.options.weights = weights;
                self
            }

            /// How features are weighted before the pair moment is decomposed.
            pub fn whitening(mut self, scaling: Scaling) -> Self {
                self.options.whitening = scaling;
                self
            }

            /// How the rotation is found.
            pub fn method(mut self, method: Method) -> Self {
                self.options.method = method;
                self
            }

            /// Whether slices of the third moment keep their own row.
            pub fn rows(mut self, rows: Rows) -> Self {
                self.options.rows = rows;
                self
            }

            /// What follows the spectral estimate.
            pub fn polish(mut self, polish: Polish) -> Self {
                self.options.polish = polish;
                self
            }

            /// Accept fewer topics than asked for when the data show no more.
            pub fn allow_fewer(mut self, allow: bool) -> Self {
                self.options.allow_fewer = allow;
                self
            }

            /// Whether to estimate the errors of the fit: which topics come back in halves of the
            /// documents, z-scores of the directions, standard errors of the word probabilities.
            /// Costs half a fit to two fits; less above ten million counts, and more where a fit
            /// takes a fraction of a second.
            pub fn trust(mut self, trust: bool) -> Self {
                self.options.trust = trust;
                self
            }

            /// How often the documents are split into halves, to see which topics come back in both. Two
            /// splits if not given where a fit takes under a second, one otherwise; none if zero.
            pub fn splits(mut self, splits: usize) -> Self {
                self.options.splits = Some(splits);
                self
            }

            /// Lets the data choose the number of topics, up to `limit`. Where the documents follow the
            /// model it is the number of directions of the pair moment that stand clearly out of the
            /// noise or, if each document is about one topic, the number that the evidence supports. In
            /// text it is the number of topics that are found again in independent halves of the
            /// documents. The fitted model keeps the [`Choice`](crate::choosing::Choice). Set all other
            /// options first.
            ///
            /// # Errors
            /// When half the corpus is too small to tell signal from noise.
            pub fn choose_topics(mut self, corpus: &Corpus, limit: usize) -> Result<Self> {
                let choice = crate::choosing::choice::choose(corpus, &self.options, limit)?;
                self.options.n_topics = choice.n_topics;
                self.options.chosen = Some(choice);
                Ok(self)
            }

            /// The result of [`choose_topics`](Self::choose_topics), if it was called.
            pub fn chosen(&self) -> Option<&crate::choosing::Choice> {
                self.options.chosen.as_ref()
            }

            /// Fits every number of topics of a range and passes each spectral model to `visit`.
            ///
            /// # Errors
            /// As [`fit`](Self::fit), and when another method than the joint one is asked for.
            pub fn sweep(
                &self,
                corpus: &Corpus,
                range: std::ops::RangeInclusive<usize>,
                visit: &mut dyn FnMut(&crate::model::Model),
            ) -> Result<crate::choosing::Sweep> {
                // The number of topics cannot exceed the number of words.
                let end = (*range.end()).min(corpus.n_present().max(*range.start()));
                let numbers: Vec<usize> = (*range.start()..=end).collect();
                self.sweep_of(corpus, &numbers, visit)
            }

            /// As [`sweep`](Self::sweep), for some numbers of topics, in ascending order.
            ///
            /// # Errors
            /// As [`sweep`](Self::sweep), and when the numbers do not rise.
            pub fn sweep_of(
                &self,
                corpus: &Corpus,
                numbers: &[usize],
                visit: &mut dyn FnMut(&crate::model::Model),
            ) -> Result<crate::choosing::Sweep> {
                crate::choosing::sweep::sweep(corpus, &self.options, numbers, visit)
            }

            /// These parameters with another number of topics.
            fn with_n_topics(&self, n_topics: usize) -> Self {
                let mut params = self.clone();
                params.options.n_topics = n_topics;
                params
            }

            /// An estimate of what a fit of a corpus of these sizes will take.
            pub fn workload(&self, sizes: crate::fit::Sizes) -> crate::fit::Workload {
                crate::fit::Workload::new(&self.options, sizes)
            }

            /// Exactly the paper's Algorithm 2: its weights, plain whitening, one pivot feature, rows removed, no
            /// polish.
            pub fn paper(mut self) -> Self {
                self.options.set_paper();
                self
            }
        }
    };
}

pub(super) use shared_params;
