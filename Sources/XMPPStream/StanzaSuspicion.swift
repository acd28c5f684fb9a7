/// Finds the stanza of ours that makes the server end one stream after the other.
///
/// A server that ends a stream with `policy-violation` does not state the stanza (RFC 6120 §4.9.3.14). After the second
/// time with the same suspected stanza (``limit``), that stanza fails instead of the account.
package struct StanzaSuspicion: Equatable, Sendable {
    /// A stanza that the server had not acknowledged when it ended the stream.
    package struct Candidate: Equatable, Sendable {
        /// The `id` of the stanza, which does not change when it is sent again.
        package let id: String
        package let byteCount: Int

        package init(id: String, byteCount: Int) {
            self.id = id
            self.byteCount = byteCount
        }
    }

    /// The first time may be accidental, such as a rate limit; the second time is not.
    package static let limit = 2

    private var suspect: String?
    private var count = 0

    package init() {}

    /// The server ended an established stream because of something that it received.
    ///
    /// - Parameter candidates: The stanzas not acknowledged, oldest first.
    /// - Returns: The `id` of the stanza that must not be sent again, if one is found.
    package mutating func streamRefused(_ candidates: [Candidate]) -> String? {
        guard let newest = candidates.last else { return nil }
        // If a stanza is larger than every server must accept, its size is the likely reason.
        let longest = candidates.max { $0.byteCount < $1.byteCount }
        let likely = longest.flatMap { $0.byteCount > StreamLimits.safeBytes ? $0 : nil } ?? newest
        count = likely.id == suspect ? count + 1 : 1
        suspect = likely.id
        guard count >= Self.limit else { return nil }
        self = Self()
        return likely.id
    }
}
