package import Waiting
import XMLStreaming
package import XMPPAddress

/// XEP-0198 Stream Management: the counters of one session and the queue of what the peer has not acknowledged.
///
/// The machine is the same for both ends. Counting starts for outgoing stanzas when our `<enable/>` or `<enabled/>` is
/// sent, and for incoming ones when the peer's is received (§4, note); counters are modulo 2^32.
///
///     C: <enable xmlns='urn:xmpp:sm:3' resume='true'/>
///     S: <enabled xmlns='urn:xmpp:sm:3' id='some-long-sm-id' resume='true'/>
///     C: <message/><r/>
///     S: <a h='1'/>
///
/// An incoming stanza is acknowledged when the owner has confirmed it with `stanzasHandled`, never when it was merely
/// read.
package struct StreamManagement: ~Copyable, Sendable {
    /// How long the answer to `<r/>` waits for the owner to handle what was received before it (§4 lets a timeout
    /// withhold it). A second is more than any store needs and less than any server waits.
    package static let answerDelay = Duration.seconds(1)

    /// An unasked `<a/>` is sent after this many handled stanzas, so that the peer's queue stays short.
    package static let unaskedAnswerInterval: UInt32 = 100

    /// What the server promised in `<enabled/>`.
    package struct Promise: Equatable, Sendable {
        package var id: String?
        package var isResumable: Bool
        package var maximumSeconds: Int?
        package var location: String?

        package init(id: String? = nil, isResumable: Bool = false, maximumSeconds: Int? = nil, location: String? = nil)
        {
            self.id = id
            self.isResumable = isResumable
            self.maximumSeconds = maximumSeconds
            self.location = location
        }

        /// The content of `<enabled/>`.
        init(_ enabled: XMLElement) {
            id = enabled["id"]
            isResumable = enabled.isTrue("resume") && id != nil
            maximumSeconds = enabled["max"].flatMap { Int($0) }
            location = enabled["location"]
        }
    }

    package enum SendAction: Equatable, Sendable {
        case none
        /// Write `<r/>` after the stanza.
        case request
    }

    package enum AnswerAction: Equatable, Sendable {
        case none
        /// Write `<a h='…'/>`.
        case answer(UInt32)
    }

    package enum RequestedAction: Equatable, Sendable {
        /// Stream management is not enabled: the element does not apply.
        case unexpected
        case answer(UInt32)
        /// The response follows when the owner has handled the received stanzas, or at `nextDeadline`.
        case later
    }

    package enum AcknowledgedAction: Equatable, Sendable {
        case unexpected
        /// The peer acknowledged these; `requestAgain` requests another `<r/>`.
        case acknowledged([StanzaToken], requestAgain: Bool)
        /// The peer acknowledged more than was sent (§6): a stream error.
        case tooHigh(handled: UInt32, sent: UInt32)
    }

    package enum ResumedAction: Equatable, Sendable {
        case unexpected
        /// The session was resumed: report these as acknowledged and send the replayed stanzas again, in order.
        case resumed(acknowledged: [StanzaToken], replay: [[UInt8]], address: JID)
        case tooHigh(handled: UInt32, sent: UInt32)
    }

    package enum RefusedAction: Equatable, Sendable {
        case unexpected
        /// `<enable/>` was refused: the stream continues without stream management.
        case enableRefused
        /// The session was lost. The server had handled the first ones; the owner decides about the rest.
        case resumptionRefused(acknowledged: [StanzaToken], unacknowledged: [UnacknowledgedStanza])
    }

    /// Stanzas that were received and not yet handled by the owner.
    struct Inbound {
        /// `h`: handled stanzas that count.
        var handled: UInt32 = 0
        /// Received before counting began and not handled yet; these are confirmed first and never counted.
        var uncounted = 0
        /// Received and counted, not handled yet.
        var pending = 0
        /// The last `h` that was sent.
        var answered: UInt32 = 0
        /// A pending `<r/>` is answered after this number of pending stanzas was handled.
        var owed: Int?
        var deadline: ContinuousInstant?

        mutating func answer() -> UInt32 {
            owed = nil
            deadline = nil
            answered = handled
            return handled
        }
    }

    struct Session {
        var inbound: Inbound
        var outbound: UnacknowledgedQueue
        var promise: Promise
        var address: JID
        var isRequestOutstanding = false
    }

    // Not private: Swift 6.3 breaks off when another module destroys a machine whose noncopyable state is private.
    enum State: ~Copyable {
        /// Not negotiated: nothing is counted. → enabling, resuming, active (server end)
        case inactive(Inbound)
        /// `<enable/>` was sent; what we send is counted, what we receive is not. → active, inactive
        case enabling(Inbound, UnacknowledgedQueue)
        /// Both directions are counted. Final.
        case active(Session)
        /// `<resume/>` was sent; nothing may be sent. → active, inactive
        case resuming(Session)
    }

    private var state: State

    package init() {
        self.init(.inactive(Inbound()))
    }

    private init(_ state: consuming State) {
        self.state = state
    }
}

// MARK: - Negotiation

extension StreamManagement {
    /// Our `<enable/>` was written: outgoing stanzas count from here.
    package mutating func enableSent() {
        switch consume state {
        case .inactive(let inbound): self = Self(.enabling(inbound, UnacknowledgedQueue()))
        case .enabling: preconditionFailure("stream management is enabled once per stream")
        case .active: preconditionFailure("stream management is enabled once per stream")
        case .resuming: preconditionFailure("stream management is enabled once per stream")
        }
    }

    /// The server agreed.
    ///
    /// - Returns: Whether this was the answer to our `<enable/>`.
    package mutating func enabledReceived(_ promise: Promise, address: JID) -> Bool {
        switch consume state {
        case .enabling(var inbound, let outbound):
            inbound.uncounted += inbound.pending
            inbound.pending = 0
            self = Self(.active(Session(inbound: inbound, outbound: outbound, promise: promise, address: address)))
            return true
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
            return false
        case .active(let session):
            self = Self(.active(session))
            return false
        case .resuming(let session):
            self = Self(.resuming(session))
            return false
        }
    }

    /// The server's end: the client's `<enable/>` was received and `<enabled/>` written.
    package mutating func enabledSent(_ promise: Promise, address: JID) {
        switch consume state {
        case .inactive(var inbound):
            inbound.uncounted += inbound.pending
            inbound.pending = 0
            self = Self(
                .active(Session(inbound: inbound, outbound: UnacknowledgedQueue(), promise: promise, address: address)))
        case .enabling: preconditionFailure("stream management is enabled once per stream")
        case .active: preconditionFailure("stream management is enabled once per stream")
        case .resuming: preconditionFailure("stream management is enabled once per stream")
        }
    }

    /// Our `<resume/>` is being written, or, at the server's end, the client's was received.
    package mutating func resumeRequested(_ resumption: ResumptionState) {
        switch consume state {
        case .inactive:
            let inbound = Inbound(handled: resumption.handledCount, answered: resumption.handledCount)
            let outbound = UnacknowledgedQueue(
                acknowledged: resumption.acknowledgedCount, stanzas: resumption.unacknowledged)
            let promise = Promise(
                id: resumption.id, isResumable: true, maximumSeconds: resumption.maximumSeconds,
                location: resumption.location)
            let session = Session(inbound: inbound, outbound: outbound, promise: promise, address: resumption.address)
            self = Self(.resuming(session))
        case .enabling: preconditionFailure("a stream is resumed before anything is counted")
        case .active: preconditionFailure("a stream is resumed before anything is counted")
        case .resuming: preconditionFailure("a stream is resumed before anything is counted")
        }
    }

    /// The peer resumes the session and states how many of our stanzas it has handled (§5). The identifier must be the
    /// one of the session.
    package mutating func resumed(previousID: String, handled: UInt32) -> ResumedAction {
        switch consume state {
        case .resuming(var session):
            guard session.promise.id == previousID else {
                self = Self(.resuming(session))
                return .unexpected
            }
            guard let tokens = session.outbound.acknowledge(handled) else {
                let sent = session.outbound.sent
                self = Self(.resuming(session))
                return .tooHigh(handled: handled, sent: sent)
            }
            let replay = session.outbound.stanzas.map(\.bytes)
            let address = session.address
            session.isRequestOutstanding = !replay.isEmpty
            self = Self(.active(session))
            return .resumed(acknowledged: tokens, replay: replay, address: address)
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
        case .enabling(let inbound, let outbound):
            self = Self(.enabling(inbound, outbound))
        case .active(let session):
            self = Self(.active(session))
        }
        return .unexpected
    }

    /// `<failed/>`: the answer to `<enable/>` or `<resume/>`; a lost session may still tell what it had handled (§5).
    ///
    /// An impossible `h` is ignored: then all stanzas are returned as unacknowledged.
    package mutating func refused(handled: UInt32?) -> RefusedAction {
        switch consume state {
        case .enabling(let inbound, _):
            self = Self(.inactive(inbound))
            return .enableRefused
        case .resuming(var session):
            let tokens = handled.flatMap { session.outbound.acknowledge($0) } ?? []
            self = Self(.inactive(Inbound()))
            return .resumptionRefused(acknowledged: tokens, unacknowledged: session.outbound.stanzas)
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
        case .active(let session):
            self = Self(.active(session))
        }
        return .unexpected
    }
}

// MARK: - Stanzas and acknowledgements

extension StreamManagement {
    /// A stanza was written.
    ///
    /// Only one `<r/>` is pending at a time, so a burst costs one request and a single message is acknowledged after
    /// one round trip.
    ///
    /// - Parameter bytes: the stanza, of which a copy is kept until it is acknowledged.
    package mutating func stanzaSent(_ token: StanzaToken, _ bytes: ArraySlice<UInt8>) -> SendAction {
        switch consume state {
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
            return .none
        case .enabling(let inbound, var outbound):
            outbound.append(token, bytes)
            self = Self(.enabling(inbound, outbound))
            return .none
        case .active(var session):
            session.outbound.append(token, bytes)
            let action: SendAction = session.isRequestOutstanding ? .none : .request
            session.isRequestOutstanding = true
            self = Self(.active(session))
            return action
        case .resuming:
            preconditionFailure("no stanza may be sent between <resume/> and its answer")
        }
    }

    /// The same for several stanzas, whose tokens follow the first one and whose bytes follow each other.
    package mutating func stanzasSent(from first: StanzaToken, _ sizes: [Int], _ bytes: [UInt8]) -> SendAction {
        switch consume state {
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
            return .none
        case .enabling(let inbound, var outbound):
            outbound.append(from: first, sizes, bytes)
            self = Self(.enabling(inbound, outbound))
            return .none
        case .active(var session):
            session.outbound.append(from: first, sizes, bytes)
            let action: SendAction = session.isRequestOutstanding ? .none : .request
            session.isRequestOutstanding = true
            self = Self(.active(session))
            return action
        case .resuming:
            preconditionFailure("no stanza may be sent between <resume/> and its answer")
        }
    }

    /// `count` stanzas were received and are being handed to the owner.
    package mutating func stanzasReceived(_ count: Int = 1) {
        switch consume state {
        case .inactive(var inbound):
            inbound.pending += count
            self = Self(.inactive(inbound))
        case .enabling(var inbound, let outbound):
            inbound.pending += count
            self = Self(.enabling(inbound, outbound))
        case .active(var session):
            session.inbound.pending += count
            self = Self(.active(session))
        case .resuming(let session):
            self = Self(.resuming(session))
        }
    }

    /// The owner has handled the oldest `count` of the stanzas it was given.
    package mutating func stanzasHandled(_ count: Int) -> AnswerAction {
        precondition(count >= 0, "a number of handled stanzas cannot be negative")
        switch consume state {
        case .inactive(var inbound):
            precondition(count <= inbound.pending, "more stanzas were confirmed than were received")
            inbound.pending -= count
            self = Self(.inactive(inbound))
            return .none
        case .enabling(var inbound, let outbound):
            precondition(count <= inbound.pending, "more stanzas were confirmed than were received")
            inbound.pending -= count
            self = Self(.enabling(inbound, outbound))
            return .none
        case .active(var session):
            let uncounted = min(count, session.inbound.uncounted)
            let counted = count - uncounted
            precondition(counted <= session.inbound.pending, "more stanzas were confirmed than were received")
            session.inbound.uncounted -= uncounted
            session.inbound.pending -= counted
            session.inbound.handled &+= UInt32(truncatingIfNeeded: counted)
            var action = AnswerAction.none
            if let owed = session.inbound.owed {
                session.inbound.owed = owed - count
                if owed <= count { action = .answer(session.inbound.answer()) }
            } else if session.inbound.handled &- session.inbound.answered >= Self.unaskedAnswerInterval {
                action = .answer(session.inbound.answer())
            }
            self = Self(.active(session))
            return action
        case .resuming(let session):
            precondition(count == 0, "more stanzas were confirmed than were received")
            self = Self(.resuming(session))
            return .none
        }
    }

    /// `<r/>` was received.
    package mutating func acknowledgementRequested(now: ContinuousInstant) -> RequestedAction {
        switch consume state {
        case .active(var session):
            let waiting = session.inbound.pending + session.inbound.uncounted
            if waiting == 0 {
                let handled = session.inbound.answer()
                self = Self(.active(session))
                return .answer(handled)
            }
            session.inbound.owed = waiting
            session.inbound.deadline = session.inbound.deadline ?? now.advanced(by: Self.answerDelay)
            self = Self(.active(session))
            return .later
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
        case .enabling(let inbound, let outbound):
            self = Self(.enabling(inbound, outbound))
        case .resuming(let session):
            self = Self(.resuming(session))
        }
        return .unexpected
    }

    /// `<a h='…'/>` was received.
    package mutating func acknowledgementReceived(handled: UInt32) -> AcknowledgedAction {
        switch consume state {
        case .active(var session):
            guard let tokens = session.outbound.acknowledge(handled) else {
                let sent = session.outbound.sent
                self = Self(.active(session))
                return .tooHigh(handled: handled, sent: sent)
            }
            let requestAgain = session.isRequestOutstanding && !session.outbound.isEmpty && !tokens.isEmpty
            session.isRequestOutstanding = requestAgain
            self = Self(.active(session))
            return .acknowledged(tokens, requestAgain: requestAgain)
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
        case .enabling(let inbound, let outbound):
            self = Self(.enabling(inbound, outbound))
        case .resuming(let session):
            self = Self(.resuming(session))
        }
        return .unexpected
    }

    /// An `<r/>` was written for another reason, as the keep-alive does.
    package mutating func requestSent() {
        switch consume state {
        case .active(var session):
            session.isRequestOutstanding = true
            self = Self(.active(session))
        case .inactive: preconditionFailure("an acknowledgement is requested only while stream management is in force")
        case .enabling: preconditionFailure("an acknowledgement is requested only while stream management is in force")
        case .resuming: preconditionFailure("an acknowledgement is requested only while stream management is in force")
        }
    }

    /// The answer to an earlier `<r/>` may wait no longer.
    package mutating func deadlinePassed(now: ContinuousInstant) -> AnswerAction {
        switch consume state {
        case .active(var session):
            guard let deadline = session.inbound.deadline, deadline <= now else {
                self = Self(.active(session))
                return .none
            }
            let handled = session.inbound.answer()
            self = Self(.active(session))
            return .answer(handled)
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
        case .enabling(let inbound, let outbound):
            self = Self(.enabling(inbound, outbound))
        case .resuming(let session):
            self = Self(.resuming(session))
        }
        return .none
    }

    /// The stream is about to be closed: returns the last acknowledgement (§4).
    package mutating func closing() -> AnswerAction {
        switch consume state {
        case .active(var session):
            let isNews = session.inbound.handled != session.inbound.answered || session.inbound.owed != nil
            let action: AnswerAction = isNews ? .answer(session.inbound.answer()) : .none
            self = Self(.active(session))
            return action
        case .inactive(let inbound):
            self = Self(.inactive(inbound))
        case .enabling(let inbound, let outbound):
            self = Self(.enabling(inbound, outbound))
        case .resuming(let session):
            self = Self(.resuming(session))
        }
        return .none
    }
}

// MARK: - Properties

extension StreamManagement {
    /// Whether both directions are counted.
    /// Whether sent stanzas are counted and kept.
    package var countsSentStanzas: Bool {
        switch state {
        case .inactive: false
        case .enabling: true
        case .active: true
        case .resuming: true
        }
    }

    package var isActive: Bool {
        switch state {
        case .active: true
        case .inactive: false
        case .enabling: false
        case .resuming: false
        }
    }

    /// When to call `deadlinePassed`.
    package var nextDeadline: ContinuousInstant? {
        switch state {
        case .active(let session): session.inbound.deadline
        case .inactive: nil
        case .enabling: nil
        case .resuming: nil
        }
    }

    /// `h`: how many stanzas the owner has handled, modulo 2^32.
    package var handledCount: UInt32 {
        switch state {
        case .active(let session): session.inbound.handled
        case .resuming(let session): session.inbound.handled
        case .inactive: 0
        case .enabling: 0
        }
    }

    /// Stanzas given to the owner and not yet confirmed.
    package var unconfirmedCount: Int {
        switch state {
        case .inactive(let inbound): inbound.pending
        case .enabling(let inbound, _): inbound.pending
        case .active(let session): session.inbound.pending + session.inbound.uncounted
        case .resuming: 0
        }
    }

    /// What the peer has not acknowledged, oldest first.
    package var unacknowledged: [UnacknowledgedStanza] {
        switch state {
        case .inactive: []
        case .enabling(_, let outbound): outbound.stanzas
        case .active(let session): session.outbound.stanzas
        case .resuming(let session): session.outbound.stanzas
        }
    }

    /// How many stanzas the peer has not acknowledged.
    package var unacknowledgedCount: Int {
        switch state {
        case .inactive: 0
        case .enabling(_, let outbound): outbound.count
        case .active(let session): session.outbound.count
        case .resuming(let session): session.outbound.count
        }
    }

    /// The value from which the session could be resumed if the oldest `count` of the unconfirmed stanzas were
    /// confirmed.
    package func resumptionState(afterHandling count: Int) -> ResumptionState? {
        guard var state = resumptionState else { return nil }
        state.stanzasHandled(max(0, count - uncountedCount))
        return state
    }

    /// How many of the unconfirmed stanzas came before counting began.
    private var uncountedCount: Int {
        switch state {
        case .active(let session): session.inbound.uncounted
        case .inactive: 0
        case .enabling: 0
        case .resuming: 0
        }
    }

    /// The value from which the session can be resumed; nil when the server did not promise that.
    package var resumptionState: ResumptionState? {
        switch state {
        case .inactive: nil
        case .enabling: nil
        case .active(let session):
            if session.promise.isResumable, let id = session.promise.id {
                ResumptionState(
                    id: id, address: session.address, handledCount: session.inbound.handled,
                    acknowledgedCount: session.outbound.acknowledged, unacknowledged: session.outbound.stanzas,
                    maximumSeconds: session.promise.maximumSeconds, location: session.promise.location)
            } else {
                nil
            }
        case .resuming(let session):
            if session.promise.isResumable, let id = session.promise.id {
                ResumptionState(
                    id: id, address: session.address, handledCount: session.inbound.handled,
                    acknowledgedCount: session.outbound.acknowledged, unacknowledged: session.outbound.stanzas,
                    maximumSeconds: session.promise.maximumSeconds, location: session.promise.location)
            } else {
                nil
            }
        }
    }
}
