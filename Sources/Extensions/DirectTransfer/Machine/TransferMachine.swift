internal import MessagePayloads
internal import XMPPAddress

/// One transfer of a file between two devices, without I/O (XEP-0166 Jingle, XEP-0234 Jingle File Transfer).
///
/// The sender is the initiator. What to do is returned as actions; what came of them is reported by the methods in the
/// past tense.
///
///     sender:    begin → offered → (accepted) → connecting → [replacing] → moving → finishing → ended
///     receiver:  offered → (accept) → connecting → [replacing] → moving → ended
struct TransferMachine: ~Copyable {
    /// Which side of the transfer this is.
    enum Side: Sendable, Hashable {
        case sender, receiver
    }

    /// What was agreed, constant for the life of the machine.
    struct Terms: Sendable, Equatable {
        var sessionID: String
        /// The name of the content.
        var contentID: String
        var file: OfferedFile
        /// The initiator.
        var sender: JID
        var receiver: JID
    }

    private enum State {
        /// The sender has not begun.
        case prepared
        /// The sender waits for the answer, the receiver for its user. Then: connecting, moving, ended.
        case offered(OfferedTransport)
        /// Both try the candidates of each other. Then: moving, replacing, ended.
        case connecting(CandidateContest)
        /// The candidates failed: the sender waits for the acceptance of the last resort, the receiver for its offer.
        /// Then: moving, ended.
        case replacing
        /// The bytes travel. Then: finishing, ended.
        case moving(TransferPath)
        /// The sender has written everything, and waits until the receiver has it. Then: ended.
        case finishing
        case ended
    }

    /// What the sender has offered, or what the receiver was offered.
    private enum OfferedTransport {
        case inBand(InBandTransport)
        case socks(SOCKS5Transport)
    }

    let side: Side
    let terms: Terms
    /// The last resort of the sender; the receiver may make its blocks smaller.
    private let fallback: InBandTransport
    private let blockLimit: UInt16
    private var state: State = .prepared
    /// Whether a sender has ended the session as successful before the receiver has read everything, as some programs do.
    private var isEndedBySender = false
    /// Whether the receiver has said that it has the whole file.
    private var isConfirmed = false

    /// The machine of the sender.
    ///
    /// - Parameters:
    ///   - candidates: those that the receiver can try; `nil` offers the bytestream inside of the XML stream only.
    ///   - fallback: for the case that none can be reached.
    init(offering terms: Terms, candidates: SOCKS5Transport?, fallback: InBandTransport) {
        side = .sender
        self.terms = terms
        self.fallback = fallback
        blockLimit = fallback.blockSize ?? TransferLimits.blockSize
        offer = candidates.map(OfferedTransport.socks) ?? .inBand(fallback)
    }

    /// The machine of the receiver, for a `session-initiate`.
    ///
    /// - Throws: the reason with which to end a session that is not possible here.
    init(answering element: JingleElement, from sender: JID, to receiver: JID) throws(JingleReason) {
        guard element.contents.count == 1, let content = element.contents.first, let file = content.file,
            content.senders ?? "initiator" == "initiator", content.creator == "initiator"
        else { throw JingleReason(.unsupportedApplications) }
        // Without a size it is unknown when the file is complete. A part must be requested, not offered.
        guard file.size != nil, (file.part?.offset ?? 0) == 0 else { throw JingleReason(.unsupportedApplications) }
        let (offer, fallback) = try Self.transport(of: content)
        side = .receiver
        terms = Terms(
            sessionID: element.sessionID, contentID: content.id, file: file, sender: sender, receiver: receiver)
        blockLimit = TransferLimits.largestBlock
        self.fallback = fallback
        self.offer = offer
        state = .offered(offer)
    }

    private static func transport(
        of content: JingleContent
    ) throws(JingleReason) -> (OfferedTransport, InBandTransport) {
        switch content.transport {
        case .inBand(let transport)?: return (.inBand(transport), transport)
        case .socks(let transport)? where !transport.usesDatagrams:
            return (.socks(transport), InBandTransport(id: ""))
        case .socks?, .other?, nil: throw JingleReason(.unsupportedTransports)
        }
    }

    private let offer: OfferedTransport

    /// The candidates of the sender, for the receiver that has to decide what it offers.
    var offeredCandidates: SOCKS5Transport? {
        if case .socks(let transport) = offer { transport } else { nil }
    }

    var isEnded: Bool { if case .ended = state { true } else { false } }
}

// MARK: - What this side does

extension TransferMachine {
    /// Offers the file.
    mutating func begin() -> [TransferAction] {
        guard case .prepared = state, side == .sender else { preconditionFailure("A transfer begins once.") }
        state = .offered(offer)
        return [.send(element(.sessionInitiate, file: terms.file, transport: offered))]
    }

    private var offered: JingleContent.Transport {
        switch offer {
        case .inBand(let transport): .inBand(transport)
        case .socks(let transport): .socks(transport)
        }
    }

    /// The user of the receiver wants the file.
    ///
    /// - Parameter candidates: those of the receiver; ignored where the sender offered none.
    mutating func accept(offering candidates: [SOCKS5Transport.Candidate], destination: String?) -> [TransferAction] {
        guard case .offered(let offer) = state, side == .receiver else { return [] }
        switch offer {
        case .inBand(let transport):
            let path = InBandTransport(id: transport.id, blockSize: min(transport.blockSize ?? blockLimit, blockLimit))
            state = .moving(.inBand(path))
            return [
                .send(element(.sessionAccept, file: terms.file, transport: .inBand(path))), .move(.inBand(path)),
            ]
        case .socks(let transport):
            let own = SOCKS5Transport(id: transport.id, destination: destination, candidates: candidates)
            state = .connecting(CandidateContest(isInitiator: false, own: own, theirs: transport))
            return [
                .send(element(.sessionAccept, file: terms.file, transport: .socks(own))),
                .tryCandidates(transport),
            ]
        }
    }

    /// The user of either side does not want the transfer, or its program cannot continue.
    mutating func end(_ reason: JingleReason, as failure: TransferFailure) -> [TransferAction] {
        switch state {
        case .ended: return []
        case .prepared:
            state = .ended
            return [.finish(.failed(failure))]
        case .finishing where isConfirmed:
            state = .ended
            return [.send(termination(JingleReason(.success))), .finish(.completed)]
        case .offered, .connecting, .replacing, .moving, .finishing:
            state = .ended
            return (isEndedBySender ? [] : [.send(termination(reason))]) + [.finish(.failed(failure))]
        }
    }

    /// Nothing can be sent to the other side any more.
    mutating func abandon(_ failure: TransferFailure) -> [TransferAction] {
        if case .ended = state { return [] }
        state = .ended
        return [.finish(isConfirmed ? .completed : .failed(failure))]
    }

    // MARK: What came of the actions

    /// One of the other side's candidates is connected.
    mutating func candidateConnected(_ id: String) -> [TransferAction] {
        guard case .connecting(var contest) = state, contest.choose(id) else { return [] }
        state = .connecting(contest)
        return [.send(transportInfo(.candidateUsed(id), contest))] + decide(contest)
    }

    /// None of the other side's candidates can be reached.
    mutating func candidatesFailed() -> [TransferAction] {
        guard case .connecting(var contest) = state, contest.fail() else { return [] }
        state = .connecting(contest)
        return [.send(transportInfo(.candidateError, contest))] + decide(contest)
    }

    /// Our proxy transfers from now on.
    mutating func proxyActivated() -> [TransferAction] {
        guard case .connecting(let contest) = state, case .activateOwn(let candidate)? = contest.verdict else {
            return []
        }
        let path = TransferPath.ownCandidate(candidate.id)
        state = .moving(path)
        return [.send(transportInfo(.activated(candidate.id), contest)), .move(path)]
    }

    /// Our proxy cannot be used.
    mutating func proxyFailed() -> [TransferAction] {
        guard case .connecting(let contest) = state else { return [] }
        return [.send(transportInfo(.proxyError, contest))] + replace()
    }

    /// The sender has written all bytes.
    ///
    /// - Parameter hashes: sent, if the offer had none.
    mutating func bytesWritten(hashes: [FileHash]) -> [TransferAction] {
        guard case .moving = state, side == .sender else { return [] }
        state = .finishing
        guard terms.file.hashes.isEmpty, !hashes.isEmpty else { return [] }
        var element = JingleElement(.sessionInfo, sessionID: terms.sessionID)
        element.information = .checksum(content: terms.contentID, hashes)
        return [.send(element)]
    }

    /// The receiver has all bytes, and they have the announced hash.
    mutating func bytesVerified() -> [TransferAction] {
        guard case .moving = state, side == .receiver else { return [] }
        state = .ended
        if isEndedBySender { return [.finish(.completed)] }
        var received = JingleElement(.sessionInfo, sessionID: terms.sessionID)
        received.information = .received(content: terms.contentID)
        return [.send(received), .send(termination(JingleReason(.success))), .finish(.completed)]
    }
}

// MARK: - What the other side does

extension TransferMachine {
    /// A step of the other side.
    ///
    /// - Throws: the error to answer with. The transfer continues.
    mutating func received(_ element: JingleElement) throws(JingleRefusal) -> [TransferAction] {
        switch element.action {
        case .sessionTerminate: return terminated(element.reason ?? JingleReason(.generalError))
        case .contentRemove, .contentReject: return terminated(element.reason ?? JingleReason(.cancel))
        case .sessionAccept: return try accepted(element)
        case .transportInfo: return try news(element)
        case .transportReplace: return try replacementOffered(element)
        case .transportAccept: return try replacementAccepted(element)
        case .transportReject:
            guard case .replacing = state, side == .sender else { throw .outOfOrder }
            return end(JingleReason(.failedTransport), as: .unreachable)
        case .sessionInfo: return try informed(element)
        case .sessionInitiate: throw .outOfOrder
        case .contentAccept, .contentAdd, .contentModify, .descriptionInfo, .securityInfo: throw .unsupportedInfo
        }
    }

    private mutating func terminated(_ reason: JingleReason) -> [TransferAction] {
        if case .moving = state, side == .receiver, reason.condition == .success {
            // The last bytes may still be on the way, and only their hash decides.
            isEndedBySender = true
            return []
        }
        defer { state = .ended }
        switch state {
        case .ended: return []
        // Only after the last byte a success is one.
        case .finishing where reason.condition == .success || isConfirmed: return [.finish(.completed)]
        case .moving where reason.condition == .success && terms.file.size == 0: return [.finish(.completed)]
        case .prepared, .offered, .connecting, .replacing, .moving, .finishing:
            return [.finish(.failed(TransferFailure(reason)))]
        }
    }

    private mutating func accepted(_ element: JingleElement) throws(JingleRefusal) -> [TransferAction] {
        guard case .offered(let offer) = state, side == .sender, let content = content(of: element) else {
            throw .outOfOrder
        }
        switch (offer, content.transport) {
        case (.inBand(let own), .inBand(let theirs)?) where theirs.id == own.id: return move(in: theirs)
        case (.socks(let own), .socks(let theirs)?) where theirs.id == own.id:
            state = .connecting(CandidateContest(isInitiator: true, own: own, theirs: theirs))
            return [.answered, .tryCandidates(theirs)]
        default: return end(JingleReason(.failedTransport), as: .unreachable)
        }
    }

    /// The sender begins; the receiver may have made the blocks smaller, never larger.
    private mutating func move(in answer: InBandTransport) -> [TransferAction] {
        let size = min(answer.blockSize ?? blockLimit, blockLimit)
        guard size > 0 else { return end(JingleReason(.failedTransport), as: .unreachable) }
        let path = TransferPath.inBand(InBandTransport(id: answer.id, blockSize: size))
        state = .moving(path)
        return [.answered, .move(path)]
    }

    private mutating func news(_ element: JingleElement) throws(JingleRefusal) -> [TransferAction] {
        guard case .socks(let transport)? = content(of: element)?.transport, let news = transport.news else {
            // A candidate that comes later is not waited for.
            return []
        }
        // What crosses our own decision is out of date.
        guard case .connecting(var contest) = state else { return [] }
        guard transport.id == contest.own.id else { throw .outOfOrder }
        switch news {
        case .candidateUsed(let id):
            guard contest.otherChose(id) else { throw .outOfOrder }
        case .candidateError:
            guard contest.otherFailed() else { throw .outOfOrder }
        case .activated(let id):
            guard case .awaitTheirs(let candidate)? = contest.verdict, candidate.id == id else { throw .outOfOrder }
            let path = TransferPath.theirCandidate(id)
            state = .moving(path)
            return [.move(path)]
        case .proxyError: return replace()
        }
        state = .connecting(contest)
        return decide(contest)
    }

    private mutating func decide(_ contest: CandidateContest) -> [TransferAction] {
        switch contest.verdict {
        case nil, .awaitTheirs?: return []
        case .activateOwn(let candidate)?: return [.activate(candidate)]
        case .useOwn(let candidate)?:
            let path = TransferPath.ownCandidate(candidate.id)
            state = .moving(path)
            return [.move(path)]
        case .useTheirs(let candidate)?:
            let path = TransferPath.theirCandidate(candidate.id)
            state = .moving(path)
            return [.move(path)]
        case .nothing?: return replace()
        }
    }

    /// The candidates failed. The initiator offers the last resort (XEP-0260 §3).
    private mutating func replace() -> [TransferAction] {
        state = .replacing
        guard side == .sender else { return [.dropConnections] }
        return [.dropConnections, .send(element(.transportReplace, transport: .inBand(fallback)))]
    }

    private mutating func replacementOffered(_ element: JingleElement) throws(JingleRefusal) -> [TransferAction] {
        // The other side may give up before this one has.
        switch state {
        case .replacing, .connecting: break
        case .prepared, .offered, .moving, .finishing, .ended: throw .outOfOrder
        }
        guard side == .receiver, let content = content(of: element) else { throw .outOfOrder }
        guard case .inBand(let transport)? = content.transport else {
            return [.send(self.element(.transportReject, transport: content.transport))]
        }
        let path = InBandTransport(id: transport.id, blockSize: min(transport.blockSize ?? blockLimit, blockLimit))
        state = .moving(.inBand(path))
        return [
            .dropConnections, .send(self.element(.transportAccept, transport: .inBand(path))), .move(.inBand(path)),
        ]
    }

    private mutating func replacementAccepted(_ element: JingleElement) throws(JingleRefusal) -> [TransferAction] {
        guard case .replacing = state, side == .sender, case .inBand(let answer)? = content(of: element)?.transport,
            answer.id == fallback.id
        else { throw .outOfOrder }
        return move(in: answer)
    }

    private mutating func informed(_ element: JingleElement) throws(JingleRefusal) -> [TransferAction] {
        switch element.information {
        case nil where element.hasUnknownInformation: throw .unsupportedInfo
        case nil: return []
        case .received(let content)?:
            // The receiver ends the session next. Where it does not, the transfer is complete all the same.
            guard content == terms.contentID, side == .sender, case .finishing = state else { throw .outOfOrder }
            isConfirmed = true
            return []
        case .checksum(let content, let hashes)?:
            guard content == terms.contentID, side == .receiver else { throw .outOfOrder }
            return [.announceHashes(hashes)]
        }
    }

    private func content(of element: JingleElement) -> JingleContent? {
        element.contents.first { $0.id == terms.contentID }
    }
}

// MARK: - Elements

extension TransferMachine {
    private func element(
        _ action: JingleElement.Action, file: OfferedFile? = nil, transport: JingleContent.Transport?
    ) -> JingleElement {
        let content = JingleContent(
            id: terms.contentID, senders: file == nil ? nil : "initiator", file: file, transport: transport)
        var element = JingleElement(action, sessionID: terms.sessionID, contents: [content])
        switch action {
        case .sessionInitiate: element.initiator = terms.sender
        case .sessionAccept: element.responder = terms.receiver
        default: break
        }
        return element
    }

    private func transportInfo(_ news: SOCKS5Transport.News, _ contest: CandidateContest) -> JingleElement {
        element(.transportInfo, transport: .socks(SOCKS5Transport(id: contest.own.id, news: news)))
    }

    private func termination(_ reason: JingleReason) -> JingleElement {
        JingleElement(.sessionTerminate, sessionID: terms.sessionID, reason: reason)
    }
}

/// What the owner of a ``TransferMachine`` does.
enum TransferAction: Sendable, Equatable {
    case send(JingleElement)
    /// The other side has accepted the offer.
    case answered
    /// Connect to the candidates of the other side, the best first.
    case tryCandidates(SOCKS5Transport)
    /// Connect to our proxy and let it join the connections.
    case activate(SOCKS5Transport.Candidate)
    /// Transfer the bytes on this path.
    case move(TransferPath)
    /// The hashes of the file, for the receiver.
    case announceHashes([FileHash])
    /// The candidates are not used any more.
    case dropConnections
    /// The transfer is over.
    case finish(TransferOutcome)
}

/// The way of the bytes.
enum TransferPath: Sendable, Hashable {
    case inBand(InBandTransport)
    /// Through a candidate that this side has offered: the connection that the other side has made, or that to our proxy.
    case ownCandidate(String)
    /// Through the connection that this side has made to a candidate of the other side.
    case theirCandidate(String)
}
