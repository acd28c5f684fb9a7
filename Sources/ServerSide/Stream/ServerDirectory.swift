import SASLMechanisms
public import XMLStreaming
public import XMPPAddress
public import XMPPStream

/// The data that the connections of one server share: accounts, addresses in use and sessions that wait for resumption.
///
/// It is a plain value; the owner of the connections passes it to each event.
public struct ServerDirectory: Sendable {
    /// User names (local parts) and their passwords.
    public var passwords: [String: String]

    /// The full addresses of sessions, including those that wait for resumption.
    public var boundAddresses: Set<JID> = []

    /// Sessions whose connection was lost, by SM-ID (XEP-0198 §5).
    public internal(set) var suspended: [String: ResumptionState] = [:]

    /// The number of handled stanzas of expired sessions, by SM-ID.
    public internal(set) var expired: [String: UInt32] = [:]

    /// The issued tokens by user (XEP-0484), newest last; only ``revokeTokens(of:)`` removes them.
    public internal(set) var tokens: [String: [FASTToken]] = [:]

    private var issued = 0

    public init(passwords: [String: String] = [:]) {
        self.passwords = passwords
    }

    /// Keeps a session for resumption, as `ServerStream` does when a connection is lost.
    public mutating func suspend(_ session: ResumptionState) {
        suspended[session.id] = session
        boundAddresses.insert(session.address)
    }

    /// Removes a suspended session, as after its timeout.
    ///
    /// - Parameter remembersCount: Whether the response to a later `<resume/>` contains the number of handled stanzas.
    public mutating func expire(_ id: String, remembersCount: Bool = true) {
        guard let session = suspended.removeValue(forKey: id) else { return }
        boundAddresses.remove(session.address)
        if remembersCount { expired[id] = session.handledCount }
    }

    /// Adds a stanza to the suspended sessions of an address, which get it when they are resumed (XEP-0198 §5).
    public mutating func keep(_ stanza: some XMLEncodable, for address: JID, token: StanzaToken) {
        for (id, session) in suspended where session.address == address || session.address.bare == address {
            let added = UnacknowledgedStanza(token: token, bytes: StreamMarkup.bytes(of: stanza))
            suspended[id] = ResumptionState(
                id: id, address: session.address, handledCount: session.handledCount,
                acknowledgedCount: session.acknowledgedCount, unacknowledged: session.unacknowledged + [added],
                maximumSeconds: session.maximumSeconds, location: session.location)
        }
    }

    /// Revokes every token of a user.
    public mutating func revokeTokens(of username: String) {
        tokens[username] = nil
    }

    mutating func issueToken(to username: String, for mechanism: SASLMechanismName, secret: String) -> String {
        let token = "token-\(secret)-\(nextNumber())"
        tokens[username, default: []].append(FASTToken(mechanism: mechanism, token: token))
        return token
    }

    mutating func nextNumber() -> Int {
        issued += 1
        return issued
    }
}
