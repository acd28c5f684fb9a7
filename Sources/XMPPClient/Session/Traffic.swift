/// What the connections of a session have cost: what an idle hour of it costs is the difference of two of these.
public struct Traffic: Sendable, Hashable {
    /// When counting began, with the session.
    public let since: ContinuousClock.Instant
    /// Bytes of XML given to the transport; TLS and TCP add theirs.
    public var bytesSent: UInt64 = 0
    /// Bytes of XML that came from the transport.
    public var bytesReceived: UInt64 = 0
    /// How often the processor was woken for the connection: by something that came, or by a time that had come.
    public var wakeUps: UInt64 = 0
    /// How often the server was asked for a sign of life, or a sign was given so that no address translator forgets the
    /// connection.
    public var keepAlives: UInt64 = 0

    init(since: ContinuousClock.Instant) { self.since = since }
}
