internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// A summary of a connection's properties.
struct ConnectionSummary: Equatable {
    var agreement: StreamSession
    /// From the start to the first stanza.
    var login: Duration
    /// The round-trip time to the server.
    var roundTrip: Duration

    private var state: ConnectionState { .online(isResumed: agreement.isResumed) }

    var lines: [Phrase] {
        var ways: [Phrase] = [.verbatim(agreement.mechanism)]
        if agreement.usesFAST { ways.append(Phrase("with a token")) }
        if agreement.usesSASL2 { ways.append(.verbatim("SASL2")) }
        if agreement.isBoundInline { ways.append(.verbatim("Bind 2")) }
        var lines = [
            state.phrase(as: agreement.address),
            Phrase("login: %@, in %@", Phrase.list(ways), login.words),
        ]
        if let tls = agreement.tls {
            lines.append(
                Phrase(
                    "encryption: %@",
                    Phrase.list([tls.version.rawValue, tls.cipherSuite].compactMap { $0 }.map { .verbatim($0) })))
        }
        lines.append(
            agreement.isResumable
                ? Phrase("after a lost connection the session is resumed")
                : agreement.isManaged
                    ? Phrase("after a lost connection a new session starts; no message is lost silently")
                    : Phrase("after a lost connection a new session starts; messages in transit may be lost"))
        lines.append(Phrase("round trip to the server: %@", roundTrip.words))
        return lines
    }

    var json: JSONValue {
        JSONValue(
            [("event", "connection")] + state.facts(as: agreement.address) + [
                ("mechanism", .string(agreement.mechanism)), ("sasl2", .bool(agreement.usesSASL2)),
                ("bind2", .bool(agreement.isBoundInline)), ("fast", .bool(agreement.usesFAST)),
                ("tls", .text(agreement.tls?.version.rawValue)), ("cipher", .text(agreement.tls?.cipherSuite)),
                ("acknowledged", .bool(agreement.isManaged)), ("resumable", .bool(agreement.isResumable)),
                ("loginMilliseconds", .count(login.wholeMilliseconds)),
                ("roundTripMilliseconds", .count(roundTrip.wholeMilliseconds)),
            ])
    }
}
