/// Finds the stanza of ours because of which the server ends one stream after the other.
///
/// A server that ends a stream with `policy-violation` does not say because of which stanza (RFC 6120 §4.9.3.14).
/// When it does that ``limit`` times while the same stanza is the suspect, that stanza is given up instead of the
/// account.
package struct StanzaSuspicion: Equatable, Sendable {
    /// A stanza that the server had not acknowledged when it ended the stream.
    package struct Candidate: Equatable, Sendable {
        /// The `id` of the stanza, which it keeps when it is sent again.
        package let id: String
        package let byteCount: Int

        package init(id: String, byteCount: Int) {
            self.id = id
            self.byteCount = byteCount
        }
    }

    /// The first time may be chance, such as a limit on the rate; the second time is not.
    package static let limit = 2

    private var suspect: String?
    private var count = 0

    package init() {}

    /// The server ended a stream on which stanzas had flowed, and objected to what it was sent.
    ///
    /// - Parameter candidates: The stanzas not acknowledged, oldest first.
    /// - Returns: The `id` of the stanza that must not be sent again, if one is found.
    package mutating func streamRefused(_ candidates: [Candidate]) -> String? {
        guard let newest = candidates.last else { return nil }
        // Where something is longer than what every server must take, size is the more likely reason.
        let longest = candidates.max { $0.byteCount < $1.byteCount }
        let likely = longest.flatMap { $0.byteCount > StreamLimits.safeBytes ? $0 : nil } ?? newest
        count = likely.id == suspect ? count + 1 : 1
        suspect = likely.id
        guard count >= Self.limit else { return nil }
        self = Self()
        return likely.id
    }
}
