import ServerSide
import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// What the stream makes of a line that breaks or repeats bytes, from the first byte of the login to the last one of the end.
@Suite("Faults of the line")
struct LineFaultTests {
    private static let sent = (1...3).map { StanzaToken($0) }

    /// A login, three messages in each direction and a polite end.
    private static func life(_ fault: LineFault?) -> StreamPair {
        var pair = StreamPair(fault: fault)
        for number in 1...3 as ClosedRange<UInt64> {
            pair.send(Message.to("romeo@example.com", "out", id: "out\(number)"), token: StanzaToken(number))
            pair.serverSend(Message.to("juliet@example.com", "in", id: "in\(number)"), token: StanzaToken(100 + number))
        }
        pair.perform(pair.client.close(now: pair.now))
        pair.run()
        return pair
    }

    private static func ids(_ stanzas: [XMLElement]) -> [String] {
        stanzas.filter { $0.name.local == "message" }.compactMap { $0["id"] }
    }

    /// What the client has sent, by what became of it; each once.
    private static func outcome(of pair: borrowing StreamPair) -> (accepted: [StanzaToken], accounted: [StanzaToken]) {
        var refused: Set<StanzaToken> = []
        for case .notSent(let token) in pair.log { refused.insert(token) }
        let wasOnline = pair.log.session != nil
        let unacknowledged = pair.log.ends.first?.unacknowledged.map(\.token) ?? []
        return (wasOnline ? sent.filter { !refused.contains($0) } : [], pair.log.acknowledged + unacknowledged)
    }

    @Test(
        "wherever the line breaks, the stream ends once, and a resumed session loses and doubles nothing",
        arguments: LineFault.Direction.allCases)
    func cuts(direction: LineFault.Direction) throws {
        let total = try #require(Self.life(nil).byteCounts[direction])
        var resumptions = 0
        // 31 is no divisor of a period of the markup, so the cuts fall on every kind of place.
        for count in stride(from: 0, to: total, by: 31) {
            var first = Self.life(LineFault(direction: direction, kind: .cut(after: count)))
            let place: Comment = "cut after \(count) of \(total) bytes\n\(first.transcript)"
            let (isEnded, deadline) = (first.client.isEnded, first.client.nextDeadline)
            #expect(isEnded && deadline == nil && first.log.ends.count == 1, place)
            #expect(first.client.timerFired(now: first.now.advanced(by: .seconds(86_400))) == [], place)
            let (accepted, accounted) = Self.outcome(of: first)
            #expect(accounted == accepted, place)

            guard let resumption = first.log.ends.first?.resumption else { continue }
            resumptions += 1
            let second = StreamPair(.juliet { $0.resumption = resumption }, directory: first.directory)
            #expect(second.log.session?.isResumed == true, place)
            let arrived = Self.ids(first.serverLog.stanzas) + Self.ids(second.serverLog.stanzas)
            #expect(arrived == accepted.map { "out\($0.rawValue)" }, place)
            let received = Self.ids(first.log.stanzas) + Self.ids(second.log.stanzas)
            #expect(received[...] == ["in1", "in2", "in3"].prefix(received.count), place)
        }
        #expect(resumptions > 3)
    }

    @Test(
        "bytes that arrive twice end the stream or change nothing, and no message is forgotten",
        arguments: LineFault.Direction.allCases)
    func duplicates(direction: LineFault.Direction) throws {
        let total = try #require(Self.life(nil).pieceCounts[direction])
        for number in 0..<total {
            var pair = Self.life(LineFault(direction: direction, kind: .duplicate(piece: number)))
            pair.wait(.seconds(3600))
            let place: Comment = "piece \(number) of \(total)\n\(pair.transcript)"
            let (isEnded, deadline) = (pair.client.isEnded, pair.client.nextDeadline)
            #expect(isEnded && deadline == nil && pair.log.ends.count == 1, place)
            let (accepted, accounted) = Self.outcome(of: pair)
            #expect(accounted == accepted, place)
        }
    }

    @Test("a second header ends the stream as ill-formed", arguments: Delivery.allCases)
    func header(delivery: Delivery) {
        var pair = StreamPair(delivery: delivery)
        let header =
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client' version='1.0'"
            + " xmlns:stream='http://etherx.jabber.org/streams' id='2'>"
        pair.perform(pair.client.bytesReceived(Array(header.utf8), now: pair.now))
        let end = pair.log.ends.first
        #expect(end?.failure?.code == .malformedXML)
        // What was counted on this stream is worth nothing any more.
        #expect(end?.resumption == nil)
    }
}
