/// How much a WebSocket connection holds in memory.
public struct WebSocketLimits: Sendable, Hashable {
    /// The most bytes of one message that are held, all its fragments together; of a longer one parts are passed on. The same as for one
    /// element of an XMPP stream: a stanza is one message (RFC 7395 §3.3).
    public var messageBytes = 10 << 20

    /// The most bytes of the server's answer to the upgrade, its status line included. Servers and the proxies before them send some
    /// hundred.
    public var headerBytes = 16 * 1024

    public init() {}
}
