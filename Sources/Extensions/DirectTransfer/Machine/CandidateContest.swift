/// Which of the candidates of both sides carries the bytes (XEP-0260 Jingle SOCKS5 Bytestreams Transport Method §2.4).
struct CandidateContest: Sendable, Equatable {
    /// What follows when both sides have reported the result of their attempts.
    enum Verdict: Sendable, Equatable {
        /// The connection that the other side has made to us.
        case useOwn(SOCKS5Transport.Candidate)
        /// Our proxy, which has to join the connections first.
        case activateOwn(SOCKS5Transport.Candidate)
        /// The connection that we have made.
        case useTheirs(SOCKS5Transport.Candidate)
        /// The proxy of the other side, as soon as it says that it has joined the connections.
        case awaitTheirs(SOCKS5Transport.Candidate)
        case nothing
    }

    private enum Attempt: Sendable, Equatable {
        case running
        case failed
        case connected(SOCKS5Transport.Candidate)
    }

    let isInitiator: Bool
    /// What this side has offered.
    let own: SOCKS5Transport
    let theirs: SOCKS5Transport
    /// Our attempts with their candidates.
    private var ours = Attempt.running
    /// Their attempts with our candidates.
    private var others = Attempt.running

    init(isInitiator: Bool, own: SOCKS5Transport, theirs: SOCKS5Transport) {
        self.isInitiator = isInitiator
        self.own = own
        self.theirs = theirs
    }

    /// This side is connected to one of their candidates. Each method returns `false` if it comes twice, or for a
    /// candidate that does not exist.
    mutating func choose(_ id: String) -> Bool {
        guard ours == .running, let candidate = theirs.candidates.first(where: { $0.id == id }) else { return false }
        ours = .connected(candidate)
        return true
    }

    mutating func fail() -> Bool {
        guard ours == .running else { return false }
        ours = .failed
        return true
    }

    mutating func otherChose(_ id: String) -> Bool {
        guard others == .running, let candidate = own.candidates.first(where: { $0.id == id }) else { return false }
        others = .connected(candidate)
        return true
    }

    mutating func otherFailed() -> Bool {
        guard others == .running else { return false }
        others = .failed
        return true
    }

    /// `nil` until both sides have reported.
    var verdict: Verdict? {
        switch (ours, others) {
        case (.running, _), (_, .running): nil
        case (.failed, .failed): .nothing
        case (.connected(let candidate), .failed): Self.theirs(candidate)
        case (.failed, .connected(let candidate)): Self.own(candidate)
        case (.connected(let theirs), .connected(let own)):
            // The same priority: that of the initiator's choice.
            theirs.priority > own.priority || (theirs.priority == own.priority && isInitiator)
                ? Self.theirs(theirs) : Self.own(own)
        }
    }

    private static func theirs(_ candidate: SOCKS5Transport.Candidate) -> Verdict {
        candidate.kind == .proxy ? .awaitTheirs(candidate) : .useTheirs(candidate)
    }

    private static func own(_ candidate: SOCKS5Transport.Candidate) -> Verdict {
        candidate.kind == .proxy ? .activateOwn(candidate) : .useOwn(candidate)
    }
}
