import XMLStreaming

/// The limits of a server on a stream (XEP-0478 Stream Limits Advertisement §3).
///
///     S: <limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>262144</max-bytes><idle-seconds>1800</idle-seconds></limits>
public struct StreamLimits: Hashable, Sendable {
    /// The maximum size of a top-level element, in bytes; nil if not announced.
    public var maximumBytes: Int?

    /// The time without a byte from us after which the server may ask or end the stream; nil if not announced.
    public var idleTime: Duration?

    public init(maximumBytes: Int? = nil, idleTime: Duration? = nil) {
        self.maximumBytes = maximumBytes
        self.idleTime = idleTime
    }

    /// The stanza size that every server must accept, in bytes (RFC 6120 §13.12). A smaller announced limit is ignored.
    public static let safeBytes = 10_000

    /// The assumed limit if none is announced, in bytes. Prosody 0.12 and 13 and ejabberd 23 and 24 accept 256 KiB from
    /// an authenticated client, unless their operators chose another limit; ejabberd also counts what follows in the
    /// same read, so one TLS record (RFC 8446 §5.1) is subtracted.
    public static let usualBytes = 262_144 - 16_384

    /// The maximum size of an element on the stream, in bytes.
    public var stanzaBytes: Int { max(maximumBytes ?? Self.usualBytes, Self.safeBytes) }
}

extension StreamLimits {
    /// The offer in `<stream:features/>`; invalid values are ignored.
    init(_ features: StreamFeatures) {
        let limits = features.element?.firstChild(StreamName.limits)
        func number(_ name: XMLName) -> Int? {
            limits?.firstChild(name).flatMap { Int($0.text.trimmingXMLWhitespace()) }.flatMap { $0 > 0 ? $0 : nil }
        }
        self.init(
            maximumBytes: number(StreamName.maximumBytes),
            idleTime: number(StreamName.idleSeconds).map { .seconds(min($0, Self.longestIdleSeconds)) })
    }

    /// A day: larger values are useless, and the limit prevents overflow.
    private static let longestIdleSeconds = 86_400
}
