extension ClientStream {
    /// What is to be stored together with stanzas that were received but not yet confirmed by `stanzasHandled`: the
    /// value from which the session can be resumed once the oldest `count` of them are stored.
    ///
    /// Also after the end of the stream, where `StreamEnd.resumption` tells whether the session lives on: what was
    /// handled since is counted here.
    public func resumptionState(afterHandling count: Int) -> ResumptionState? {
        management.resumptionState(afterHandling: count) ?? resumptionState
    }
}
