import MessagePayloads
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import DirectTransfer

@Suite("The machine of a transfer (XEP-0166, XEP-0234, XEP-0260)")
struct TransferMachineTests {
    private static let hash = FileHash(algorithm: "sha-256", value: [UInt8](repeating: 1, count: 32))
    private static let file = OfferedFile(name: "test.txt", mediaType: "text/plain", size: 6144, hashes: [hash])
    private static let fallback = InBandTransport(id: "ibb", blockSize: 4096)

    private static var romeo: JID { get throws { try JID("romeo@montague.lit/orchard") } }
    private static var juliet: JID { get throws { try JID("juliet@capulet.lit/balcony") } }

    private static func candidate(_ id: String, _ kind: SOCKS5Transport.Candidate.Kind, _ preference: UInt16 = 0) throws
        -> SOCKS5Transport.Candidate
    {
        .init(
            id: id, host: "192.0.2.1", port: 1080, address: try kind == .proxy ? JID("proxy.example") : romeo,
            kind: kind,
            localPreference: preference)
    }

    private static func sender(_ candidates: [SOCKS5Transport.Candidate] = [], file: OfferedFile = file) throws
        -> TransferMachine
    {
        TransferMachine(
            offering: .init(sessionID: "sid", contentID: "file", file: file, sender: try romeo, receiver: try juliet),
            candidates: candidates.isEmpty ? nil : SOCKS5Transport(id: "s5b", destination: "d", candidates: candidates),
            fallback: fallback)
    }

    private static func receiver(_ offer: [TransferAction]) throws -> TransferMachine {
        guard case .send(let element)? = offer.first else { throw JingleRefusal.outOfOrder }
        return try TransferMachine(answering: element, from: try romeo, to: try juliet)
    }

    /// Two machines and what each of them was told to do besides sending.
    private struct Pair: ~Copyable {
        var sender: TransferMachine
        var receiver: TransferMachine
        var ofSender: [TransferAction] = []
        var ofReceiver: [TransferAction] = []

        /// Delivers what one side sends, and what is sent back, until nothing is left.
        mutating func fromSender(_ actions: [TransferAction]) throws {
            for action in actions {
                guard case .send(let element) = action else {
                    ofSender.append(action)
                    continue
                }
                try fromReceiver(try receiver.received(element))
            }
        }

        mutating func fromReceiver(_ actions: [TransferAction]) throws {
            for action in actions {
                guard case .send(let element) = action else {
                    ofReceiver.append(action)
                    continue
                }
                try fromSender(try sender.received(element))
            }
        }
    }

    private func pair(
        _ offered: [SOCKS5Transport.Candidate] = [], file: OfferedFile = file
    ) throws -> Pair {
        var sender = try Self.sender(offered, file: file)
        let receiver = try Self.receiver(sender.begin())
        return Pair(sender: sender, receiver: receiver)
    }

    @Test("inside of the XML stream, where the receiver makes the blocks smaller")
    func inBand() throws {
        var pair = try pair()
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        #expect(pair.ofSender == [.answered, .move(.inBand(Self.fallback))])
        #expect(pair.ofReceiver == [.move(.inBand(Self.fallback))])
        try pair.fromSender(pair.sender.bytesWritten(hashes: []))
        try pair.fromReceiver(pair.receiver.bytesVerified())
        #expect(pair.ofSender.last == .finish(.completed))
        #expect(pair.ofReceiver.last == .finish(.completed))
        let areEnded = pair.sender.isEnded && pair.receiver.isEnded
        #expect(areEnded)
    }

    @Test("a direct connection of the receiver to the sender")
    func direct() throws {
        let offered = [try Self.candidate("a", .direct), try Self.candidate("p", .proxy)]
        var pair = try pair(offered)
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        #expect(pair.ofReceiver.count == 1)
        try pair.fromReceiver(pair.receiver.candidateConnected("a"))
        try pair.fromSender(pair.sender.candidatesFailed())
        #expect(pair.ofSender.last == .move(.ownCandidate("a")))
        #expect(pair.ofReceiver.last == .move(.theirCandidate("a")))
    }

    @Test("a proxy of the sender is activated before the bytes travel")
    func proxy() throws {
        let proxy = try Self.candidate("p", .proxy)
        var pair = try pair([proxy])
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        try pair.fromReceiver(pair.receiver.candidateConnected("p"))
        try pair.fromSender(pair.sender.candidatesFailed())
        #expect(pair.ofSender.last == .activate(proxy))
        #expect(
            pair.ofReceiver.last == .tryCandidates(SOCKS5Transport(id: "s5b", destination: "d", candidates: [proxy])))
        try pair.fromSender(pair.sender.proxyActivated())
        #expect(pair.ofSender.last == .move(.ownCandidate("p")))
        #expect(pair.ofReceiver.last == .move(.theirCandidate("p")))
    }

    @Test(
        "of two connections the one with the higher priority is used, and with the same priority the initiator's choice"
    )
    func contest() throws {
        for (theirs, isOwn) in [(UInt16(1), false), (0, false), (7, true)] {
            let offered = try Self.candidate("a", .direct, 1)
            var pair = try pair([offered])
            let answer = try Self.candidate("b", .direct, theirs)
            try pair.fromReceiver(pair.receiver.accept(offering: [answer], destination: "e"))
            try pair.fromReceiver(pair.receiver.candidateConnected("a"))
            try pair.fromSender(pair.sender.candidateConnected("b"))
            // The sender chose "b" of the receiver, the receiver chose "a" of the sender.
            let usesB = theirs >= 1
            #expect(pair.ofSender.last == .move(usesB ? .theirCandidate("b") : .ownCandidate("a")))
            #expect(pair.ofReceiver.last == .move(usesB ? .ownCandidate("b") : .theirCandidate("a")))
            _ = isOwn
        }
    }

    @Test("without a connection both go on inside of the XML stream")
    func fallback() throws {
        var pair = try pair([try Self.candidate("a", .direct)])
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        try pair.fromReceiver(pair.receiver.candidatesFailed())
        try pair.fromSender(pair.sender.candidatesFailed())
        #expect(pair.ofSender.suffix(3) == [.dropConnections, .answered, .move(.inBand(Self.fallback))])
        #expect(pair.ofReceiver.suffix(2) == [.dropConnections, .move(.inBand(Self.fallback))])
    }

    @Test("a proxy that fails is followed by the last resort")
    func proxyError() throws {
        var pair = try pair([try Self.candidate("p", .proxy)])
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        try pair.fromReceiver(pair.receiver.candidateConnected("p"))
        try pair.fromSender(pair.sender.candidatesFailed())
        try pair.fromSender(pair.sender.proxyFailed())
        #expect(pair.ofSender.last == .move(.inBand(Self.fallback)))
        #expect(pair.ofReceiver.last == .move(.inBand(Self.fallback)))
    }

    @Test("declined, cancelled by either side, and out of time")
    func ending() throws {
        var pair = try pair()
        try pair.fromReceiver(pair.receiver.end(JingleReason(.decline), as: .declinedHere))
        guard case .finish(.failed(let failure))? = pair.ofSender.last else {
            Issue.record("\(pair.ofSender)")
            return
        }
        #expect(failure.code == .declined)
        #expect(pair.ofReceiver == [.finish(.failed(.declinedHere))])
        #expect(pair.receiver.end(JingleReason(.cancel), as: .cancelled).isEmpty)

        var other = try self.pair()
        try other.fromSender(other.sender.end(JingleReason(.timeout), as: .timedOut))
        #expect(other.ofReceiver == [.finish(.failed(.timedOut))])
        #expect(other.sender.isEnded && other.receiver.isEnded)
    }

    @Test("a success before the last byte is none")
    func earlySuccess() throws {
        var pair = try pair()
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        let success = JingleElement(.sessionTerminate, sessionID: "sid", reason: JingleReason(.success))
        guard case .finish(.failed(let failure))? = try pair.sender.received(success).last else {
            Issue.record("no failure")
            return
        }
        #expect(failure.code == .cancelledByPeer)
    }

    @Test("a sender that ends the session first has sent everything, or not", arguments: [true, false])
    func endedBySender(isComplete: Bool) throws {
        var pair = try pair()
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        let success = JingleElement(.sessionTerminate, sessionID: "sid", reason: JingleReason(.success))
        let first = try pair.receiver.received(success)
        #expect(first.isEmpty)
        // The hash decides, and nothing is sent in a session that has ended.
        let last =
            isComplete ? pair.receiver.bytesVerified() : pair.receiver.end(JingleReason(.generalError), as: .damaged)
        #expect(last == [.finish(isComplete ? .completed : .failed(.damaged))])
        let isEnded = pair.receiver.isEnded
        #expect(isEnded)
    }

    @Test("what the receiver has confirmed is complete, however the session ends", arguments: 0..<3)
    func confirmed(end: Int) throws {
        var pair = try pair()
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        try pair.fromSender(pair.sender.bytesWritten(hashes: []))
        var received = JingleElement(.sessionInfo, sessionID: "sid")
        received.information = .received(content: "file")
        let none = try pair.sender.received(received)
        #expect(none.isEmpty)
        let last: [TransferAction]
        switch end {
        case 0: last = pair.sender.end(JingleReason(.timeout), as: .timedOut)
        case 1: last = pair.sender.abandon(.connectionLost)
        default:
            let gone = JingleElement(.sessionTerminate, sessionID: "sid", reason: JingleReason(.gone))
            last = try pair.sender.received(gone)
        }
        #expect(last.last == .finish(.completed))
    }

    @Test("the hash follows if the offer had none")
    func checksum() throws {
        var file = Self.file
        file.hashes = []
        file.hashAlgorithm = "sha-256"
        var pair = try pair(file: file)
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        try pair.fromSender(pair.sender.bytesWritten(hashes: [Self.hash]))
        #expect(pair.ofReceiver.last == .announceHashes([Self.hash]))
    }

    @Test("an empty information asks whether the session is there; an unknown one is refused")
    func information() throws {
        var pair = try pair()
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        func element(_ content: String) throws -> JingleElement {
            try JingleElement(
                from: XMLElement(
                    parsing: "<jingle xmlns='urn:xmpp:jingle:1' action='session-info' sid='sid'>\(content)</jingle>"))
        }
        let ping = try pair.sender.received(element(""))
        #expect(ping.isEmpty)
        let ringing = try element("<ringing xmlns='urn:xmpp:jingle:apps:rtp:1:info'/>")
        do throws(JingleRefusal) {
            _ = try pair.sender.received(ringing)
            Issue.record("not refused")
        } catch {
            #expect(error == .unsupportedInfo)
        }
    }

    private static func offer(_ change: (inout JingleElement) -> Void) -> JingleElement {
        var element = JingleElement(
            .sessionInitiate, sessionID: "sid",
            contents: [JingleContent(id: "file", senders: "initiator", file: file, transport: .inBand(fallback))])
        change(&element)
        return element
    }

    @Test("offers that are not possible here")
    func badOffers() throws {
        let cases: [(JingleElement, JingleReason.Condition)] = [
            (Self.offer { $0.contents = [] }, .unsupportedApplications),
            (Self.offer { $0.contents.append($0.contents[0]) }, .unsupportedApplications),
            (Self.offer { $0.contents[0].file = nil }, .unsupportedApplications),
            (Self.offer { $0.contents[0].file?.size = nil }, .unsupportedApplications),
            (Self.offer { $0.contents[0].senders = "responder" }, .unsupportedApplications),
            (Self.offer { $0.contents[0].file?.part = .init(offset: 5) }, .unsupportedApplications),
            (Self.offer { $0.contents[0].transport = nil }, .unsupportedTransports),
            (Self.offer { $0.contents[0].transport = .other(.init("transport", "urn:x")) }, .unsupportedTransports),
            (
                Self.offer {
                    var transport = SOCKS5Transport(id: "a")
                    transport.usesDatagrams = true
                    $0.contents[0].transport = .socks(transport)
                }, .unsupportedTransports
            ),
        ]
        for (element, condition) in cases {
            do throws(JingleReason) {
                let machine = try TransferMachine(
                    answering: element, from: try! JID("a@b.c/d"), to: try! JID("e@f.g/h"))
                Issue.record("accepted: \(machine.terms)")
            } catch {
                #expect(error.condition == condition)
            }
        }
    }

    @Test("steps at the wrong time are refused and change nothing", arguments: JingleElement.Action.allCases)
    func outOfOrder(action: JingleElement.Action) throws {
        var element = JingleElement(
            action, sessionID: "sid",
            contents: [
                JingleContent(id: "file", transport: .socks(SOCKS5Transport(id: "x", news: .candidateUsed("nothing"))))
            ])
        if action == .sessionInfo { element.information = .checksum(content: "other", []) }
        var pair = try pair([try Self.candidate("a", .direct)])
        try pair.fromReceiver(pair.receiver.accept(offering: [], destination: nil))
        switch action {
        // These end it.
        case .sessionTerminate, .contentRemove, .contentReject: return
        // The offer of another last resort than ours is declined.
        case .transportReplace:
            #expect(throws: JingleRefusal.outOfOrder) { try pair.sender.received(element) }
            return
        default: break
        }
        #expect(throws: JingleRefusal.self) { try pair.sender.received(element) }
        if action != .transportInfo { #expect(throws: JingleRefusal.self) { try pair.receiver.received(element) } }
        // It goes on.
        try pair.fromReceiver(pair.receiver.candidateConnected("a"))
        try pair.fromSender(pair.sender.candidatesFailed())
        #expect(pair.ofReceiver.last == .move(.theirCandidate("a")))
    }

    @Test("a random walk ends each transfer once, and never moves bytes after the end", arguments: 0..<200)
    func walk(seed: UInt64) throws {
        var random = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        var machine = try Self.sender([try Self.candidate("a", .direct), try Self.candidate("p", .proxy)])
        var actions = machine.begin()
        var ends = 0
        let theirs = SOCKS5Transport(id: "s5b", candidates: [try Self.candidate("b", .direct)])
        func element(_ action: JingleElement.Action, _ transport: JingleContent.Transport?) -> JingleElement {
            JingleElement(action, sessionID: "sid", contents: [JingleContent(id: "file", transport: transport)])
        }
        func news(_ news: SOCKS5Transport.News) -> JingleElement {
            element(.transportInfo, .socks(SOCKS5Transport(id: "s5b", news: news)))
        }
        for _ in 0..<40 {
            let step = random.next() % 16
            switch step {
            case 0: actions = (try? machine.received(element(.sessionAccept, .socks(theirs)))) ?? []
            case 1: actions = (try? machine.received(news(.candidateUsed("a")))) ?? []
            case 2: actions = (try? machine.received(news(.candidateUsed("p")))) ?? []
            case 3: actions = (try? machine.received(news(.candidateError))) ?? []
            case 4: actions = (try? machine.received(news(.activated("b")))) ?? []
            case 5: actions = (try? machine.received(news(.proxyError))) ?? []
            case 6: actions = machine.candidateConnected("b")
            case 7: actions = machine.candidatesFailed()
            case 8: actions = machine.proxyActivated()
            case 9: actions = machine.proxyFailed()
            case 10: actions = (try? machine.received(element(.transportAccept, .inBand(Self.fallback)))) ?? []
            case 11: actions = (try? machine.received(element(.transportReject, nil))) ?? []
            case 12: actions = machine.bytesWritten(hashes: [Self.hash])
            case 13: actions = (try? machine.received(element(.transportReplace, .inBand(Self.fallback)))) ?? []
            case 14:
                guard random.next() % 8 == 0 else { continue }
                actions = machine.end(JingleReason(.cancel), as: .cancelled)
            default:
                guard random.next() % 8 == 0 else { continue }
                let reason = JingleReason(random.next() % 2 == 0 ? .success : .gone)
                actions =
                    (try? machine.received(JingleElement(.sessionTerminate, sessionID: "sid", reason: reason))) ?? []
            }
            if ends > 0 { #expect(actions.isEmpty) }
            ends += actions.count { if case .finish = $0 { true } else { false } }
            #expect(machine.isEnded == (ends > 0))
            #expect(ends <= 1)
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state >> 8
        }
    }
}
