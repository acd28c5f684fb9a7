import Waiting
import XMLStreaming
import XMPPStanzas

extension ReconnectionSchedule {
    /// One attempt, from its beginning to the end of its stream.
    struct Attempt: Equatable {
        var place: Place
        /// Whether it was caused by the program, the network or waking up: then its failure is not counted.
        var isExtra = false
        /// Whether the network or clock has changed since it began, so that its failure is not meaningful.
        var isOvertaken = false
        /// Set if the network or clock has changed since it began: when to replace the attempt by a new one unless it
        /// has succeeded.
        var abandonAt: ContinuousInstant?
        var isAbandoned = false
        /// Whether the session was online at this place.
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
        var since: ContinuousInstant
        /// When the check of the connection began.
        var probedAt: ContinuousInstant?
        /// The deadline of the response.
        var answerDue: ContinuousInstant?

        init(at place: Place, since: ContinuousInstant) {
            self.place = place
            self.since = since
        }

        /// Only one check at a time.
        mutating func probe(_ policy: ReconnectionPolicy, _ now: ContinuousInstant) -> Action {
            if let answerDue, now < answerDue { return .none }
            probedAt = now
            answerDue = now.advanced(by: policy.probeTimeout)
            return .probe(within: policy.probeTimeout)
        }

        /// Whether an end at this time may be caused by the check. The check can also hit a connection that breaks at
        /// once, and its deadline may be noticed late.
        func isSuspect(_ now: ContinuousInstant) -> Bool {
            guard let probedAt, let answerDue else { return false }
            return now <= answerDue.advanced(by: probedAt.duration(to: answerDue))
        }
    }

    struct Pause: Equatable {
        var until: ContinuousInstant
        var place: Place
    }

    enum State: ~Copyable {
        /// Nothing happened. → connecting, finished
        case idle
        /// An attempt is under way. → online, connecting, paused, awaitingNetwork, closing, finished
        case connecting(Attempt)
        /// Stanzas can be exchanged. → connecting, paused, awaitingNetwork, closing, finished
        case online(Online)
        /// Waiting for the time of the next attempt. → connecting, awaitingNetwork, finished
        case paused(Pause)
        /// Waiting for the network. → connecting, paused, finished
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
        /// The number of consecutive counted failures.
        var failures = 0
        /// The number of consecutive attempts without backoff caused by the server.
        var detours = 0
        /// The number of consecutive redirections by the server.
        var redirects = 0
        /// The last violation of the protocol, and how often it was repeated.
        @Rare var violation: (cause: StreamFailure.Cause, count: Int)?
        let usualHost: StreamError.Host?
        /// The remaining number of attempts that changes of network or clock may cause without delay.
        var hurries = ReconnectionSchedule.hurryLimit
        var hurriesSince: ContinuousInstant?
        var wasOnline = false
        var isNetworkAvailable = true
        /// The host that should have the session but did not respond.
        @Rare var deadLocation: StreamError.Host?
        /// A session was replaced by a new one because its server did not answer the resumption. If that server
        /// recovers (as a frozen node of a cluster does), it may resume the old session and replace the new one with
        /// it. One conflict can be explained in this way; a second one means another client.
        var hasGhost = false
        var clocks: (now: ContinuousInstant, awake: Duration)?

        /// The connection was stable for long enough.
        mutating func recovered() {
            failures = 0
            detours = 0
            redirects = 0
            violation = nil
        }

        init(usualHost: StreamError.Host?) { self.usualHost = usualHost }

        /// Uses one of the attempts that changes of network or clock may cause without delay.
        mutating func mayHurry(_ now: ContinuousInstant) -> Bool {
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

        /// The place that the server named for the resumption, if it is valid and has not failed.
        func place(for location: String?) -> Place {
            guard let host = location.flatMap({ StreamError.Host($0) }), host != deadLocation else { return .usual }
            return .keeper(host)
        }

        /// Determines what follows the end of a stream.
        mutating func next(
            after end: StreamEnd, of attempt: Attempt, _ policy: ReconnectionPolicy, now: ContinuousInstant,
            jitterFraction: Double
        ) -> (Next, Action) {
            var place = place(for: end.resumption?.location)
            // The owner ended it because of our action.
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
                    // The user is waiting for a first login, so the next place is tried without backoff.
                    let isFollowed = redirects == 1 || !wasOnline
                    if isFollowed, !isSame(host, attempt.place) { return go(.redirected(host)) }
                    place = .redirected(host)
                }
            case .fresh:
                hasGhost = true
                if takesDetour() { return go(.usual) }
            case .time:
                // The place named by the server does not respond, but the usual place has not failed yet.
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
            guard let length = policy.pause(beforeAttempt: max(failures, 1), jitterFraction: jitterFraction) else {
                return (.finished, .giveUp)
            }
            let until = now.advanced(by: length)
            return (.paused(Pause(until: until, place: place)), .pause(until: until))
        }

        /// Whether the server redirects us to the place where we come from.
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
