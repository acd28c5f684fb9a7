import XMLStreaming

/// The session of an earlier connection, on the connection that is to go on with it (XEP-0198 §5): what of it is not lost,
/// and whether it may be resumed once more.
struct EarlierSession {
    /// The session to resume, until stream management has taken it over or the server has rejected it.
    @Rare private(set) var resumption: ResumptionState?
    /// It was resumed, and the server has acknowledged nothing since.
    private var isUnproved = false
    /// Its unacknowledged stanzas, if it could not be resumed, until they are passed to the owner.
    private var leftOver: [UnacknowledgedStanza] = []

    init(_ resumption: ResumptionState?) {
        self.resumption = resumption
    }

    /// `<resume/>` was sent: from now on stream management has the session.
    mutating func takenOver() { resumption = nil }

    mutating func resumed() { isUnproved = true }

    /// The server has answered on this connection.
    mutating func proved() { isUnproved = false }

    mutating func refused(leaving stanzas: [UnacknowledgedStanza]) { leftOver = stanzas }

    /// The stream is established. The result is what is lost with the session, and belongs to the owner.
    mutating func takeLeftOver() -> [UnacknowledgedStanza] {
        // Still here if the server does not offer stream management any more.
        defer { (leftOver, resumption) = ([], nil) }
        return leftOver + (resumption?.unacknowledged ?? [])
    }

    /// The end of the connection: what can be resumed, and what is not acknowledged.
    mutating func end(_ reason: StreamEnd.Reason, _ management: borrowing StreamManagement) -> StreamEnd {
        // A session that ends before the owner got the stanzas of the earlier one is not resumable, because they would be
        // lost.
        let session = leftOver.isEmpty ? management.resumptionState ?? resumption : nil
        let unacknowledged = leftOver + management.unacknowledged + (resumption?.unacknowledged ?? [])
        (leftOver, resumption) = ([], nil)
        return StreamEnd(
            reason: reason, resumption: isResumable(after: reason) ? session : nil, unacknowledged: unacknowledged)
    }

    private func isResumable(after reason: StreamEnd.Reason) -> Bool {
        switch reason {
        case .requested, .closedByServer: false
        // Prosody 13.0 continues to parse the stanza in which the previous connection was cut off, and takes everything
        // in the resumed session for a part of it.
        case .failed(let failure) where failure.code == .serverUnresponsive && isUnproved: false
        case .failed(let failure): failure.leavesSessionResumable
        }
    }
}
