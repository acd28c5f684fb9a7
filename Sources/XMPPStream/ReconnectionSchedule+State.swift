import XMPPStanzas

extension ReconnectionSchedule {
    /// One attempt, from its beginning to the end of its stream.
    struct Attempt: Equatable {
        var place: Place
        /// Asked for by the program, the network or an awakening: its failure is not counted.
        var isExtra = false
        /// The world has changed since it began, so its failure says nothing.
        var isOvertaken = false
        /// The world has changed since it began; if it has not succeeded by then, it is given up for a new one.
        var abandonAt: ContinuousClock.Instant?
        var isAbandoned = false
        /// Stanzas have flowed at the place.
        var hasFlowed = false

        init(_ place: Place, isExtra: Bool = false, isOvertaken: Bool = false, hasFlowed: Bool = false) {
            self.place = place
            self.isExtra = isExtra
            self.isOvertaken = isOvertaken
            self.hasFlowed = hasFlowed
        }
    }

    struct Online: Equatable {
        var place: Place
        var since: ContinuousClock.Instant
        /// When the server was asked whether the connection lives.
        var probedAt: ContinuousClock.Instant?
        /// Until when it has to answer.
        var answerDue: ContinuousClock.Instant?

        init(at place: Place, since: ContinuousClock.Instant) {
            self.place = place
            self.since = since
        }

        /// One question at a time.
        mutating func probe(_ policy: ReconnectionPolicy, _ now: ContinuousClock.Instant) -> Action {
            if let answerDue, now < answerDue { return .none }
            probedAt = now
            answerDue = now.advanced(by: policy.probeTimeout)
            return .probe(within: policy.probeTimeout)
        }

        /// Whether an end at this time was brought about by the question. The question can also meet a connection that
        /// breaks at once, and its deadline may be noticed late.
        func isSuspect(_ now: ContinuousClock.Instant) -> Bool {
            guard let probedAt, let answerDue else { return false }
            return now <= answerDue.advanced(by: probedAt.duration(to: answerDue))
        }
    }

    struct Pause: Equatable {
        var until: ContinuousClock.Instant
        var place: Place
    }

    enum State: ~Copyable {
        /// Nothing happened. → connecting, finished
        case idle
        /// An attempt is under way. → online, connecting, paused, awaitingNetwork, closing, finished
        case connecting(Attempt)
        /// Stanzas flow. → connecting, paused, awaitingNetwork, closing, finished
        case online(Online)
        /// The next attempt has its time. → connecting, awaitingNetwork, finished
        case paused(Pause)
        /// The next attempt comes with the network. → connecting, paused, finished
        case awaitingNetwork(Pause)
        /// The owner closes the stream. → finished
        case closing
        /// Final.
        case finished

        init(_ next: Next) {
            switch next {
            case .connecting(let attempt): self = .connecting(attempt)
            case .paused(let pause): self = .paused(pause)
            case .awaitingNetwork(let pause): self = .awaitingNetwork(pause)
            case .finished: self = .finished
            }
        }
    }

    /// The state that follows the end of a stream.
    enum Next: Equatable {
        case connecting(Attempt)
        case paused(Pause)
        case awaitingNetwork(Pause)
        case finished
    }

    /// The data that survives a change of state.
    struct Record {
        /// Failures in a row that count.
        var failures = 0
        /// Attempts in a row without a pause, for the reasons of the server.
        var detours = 0
        /// How often in a row the server sent us elsewhere.
        var redirects = 0
        /// What broke the protocol last, and how often in a row.
        var violation: (cause: StreamFailure.Cause, count: Int)?
        let usualHost: StreamError.Host?
        /// Attempts that the world may still cause without delay.
        var hurries = ReconnectionSchedule.hurryLimit
        var hurriesSince: ContinuousClock.Instant?
        var wasOnline = false
        var isNetworkAvailable = true
        /// The keeper of the session that was not there.
        var deadLocation: StreamError.Host?
        /// A session was replaced by a new one because its server did not answer the resumption. If that server
        /// recovers (as a frozen node of a cluster does), it may resume the old session and replace the new one with
        /// it. One conflict can be explained in this way; a second one means another client.
        var hasGhost = false
        var clocks: (now: ContinuousClock.Instant, awake: SuspendingClock.Instant)?

        /// The connection was good for long enough.
        mutating func recovered() {
            failures = 0
            detours = 0
            redirects = 0
            violation = nil
        }

        init(usualHost: StreamError.Host?) { self.usualHost = usualHost }

        /// Takes one of the attempts that the world may cause without delay.
        mutating func mayHurry(_ now: ContinuousClock.Instant) -> Bool {
            if let hurriesSince {
                let regained = Int(hurriesSince.duration(to: now) / ReconnectionSchedule.hurryInterval)
                if regained > 0 {
                    hurries = min(hurries + min(regained, hurryLimit), hurryLimit)
                    self.hurriesSince = now
                }
            } else {
                hurriesSince = now
            }
            guard hurries > 0 else { return false }
            hurries -= 1
            return true
        }

        private var hurryLimit: Int { ReconnectionSchedule.hurryLimit }

        /// The place that a session named for its resumption, if it is one and was not found empty.
        func place(for location: String?) -> Place {
            guard let host = location.flatMap({ StreamError.Host($0) }), host != deadLocation else { return .usual }
            return .keeper(host)
        }

        /// Determines what follows the end of a stream.
        mutating func next(
            after end: StreamEnd, of attempt: Attempt, _ policy: ReconnectionPolicy, now: ContinuousClock.Instant,
            chance: Double
        ) -> (Next, Action) {
            var place = place(for: end.resumption?.location)
            // The owner ended it at our word.
            if attempt.isAbandoned, end.reason != .requested { return go(place, isExtra: true) }
            let remedy = ReconnectionRemedy(end, wasOnline: wasOnline, hasGhost: hasGhost)
            if end.failure?.category == .conflict { hasGhost = false }
            if case .timeUnlessRepeated = remedy {} else { violation = nil }
            switch remedy {
            case .none: return (.finished, .finish)
            case .person: return (.finished, .giveUp)
            case .timeUnlessRepeated(let cause):
                let count = violation?.cause == cause ? (violation?.count ?? 0) + 1 : 1
                guard count < ReconnectionSchedule.repetitionLimit else { return (.finished, .giveUp) }
                violation = (cause, count)
            case .elsewhere(let host):
                redirects += 1
                if redirects <= ReconnectionSchedule.redirectLimit {
                    // A person waits for a first login, so the next place is tried without a pause.
                    let isFollowed = redirects == 1 || !wasOnline
                    if isFollowed, !isSame(host, attempt.place) { return go(.redirected(host)) }
                    place = .redirected(host)
                }
            case .fresh:
                hasGhost = true
                if takesDetour() { return go(.usual) }
            case .time:
                // The place that the server named does not answer: the usual place has not failed yet.
                if attempt.place != .usual, !attempt.hasFlowed, takesDetour() { return go(.usual) }
            }
            guard wasOnline || policy.retriesFirstLogin else { return (.finished, .giveUp) }
            guard policy.attempts != 0 else { return (.finished, .giveUp) }
            guard isNetworkAvailable else {
                let pause = Pause(until: now.advanced(by: ReconnectionSchedule.mistrust), place: place)
                return (.awaitingNetwork(pause), .awaitNetwork)
            }
            if attempt.abandonAt != nil || attempt.isOvertaken && mayHurry(now) { return go(place, isExtra: true) }
            if !attempt.isExtra { failures += 1 }
            guard let length = policy.pause(beforeAttempt: max(failures, 1), chance: chance) else {
                return (.finished, .giveUp)
            }
            let until = now.advanced(by: length)
            return (.paused(Pause(until: until, place: place)), .pause(until: until))
        }

        /// Whether the server sends us to where we come from.
        private func isSame(_ host: StreamError.Host, _ place: Place) -> Bool {
            switch place {
            case .redirected(let from), .keeper(let from): from == host
            case .usual:
                if let usualHost {
                    usualHost.name.lowercased() == host.name.lowercased()
                        && (usualHost.port == host.port || usualHost.port == nil || host.port == nil)
                } else {
                    false
                }
            }
        }

        private mutating func takesDetour() -> Bool {
            guard detours < ReconnectionSchedule.detourLimit else { return false }
            detours += 1
            return true
        }

        private func go(_ place: Place, isExtra: Bool = false) -> (Next, Action) {
            (.connecting(Attempt(place, isExtra: isExtra)), .attempt(place))
        }
    }
}
