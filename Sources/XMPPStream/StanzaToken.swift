/// The owner's name for one outgoing stanza, given with `send` and handed back when the server has acknowledged it.
///
/// Tokens are chosen by the owner and must be unique among the stanzas that are unacknowledged at one time; a counter
/// that is never reset does. They are stored in `ResumptionState`, so they keep their meaning after a restart.
public struct StanzaToken: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (left: StanzaToken, right: StanzaToken) -> Bool { left.rawValue < right.rawValue }

    public var description: String { "#\(rawValue)" }
}
