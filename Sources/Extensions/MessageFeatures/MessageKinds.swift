public import XMPPClient

/// Announces which kinds of message content the program displays besides plain text.
///
/// The payloads of MessagePayloads are plain values that the program writes into messages and reads from them, so only
/// the program knows which of them it supports:
///
///     configuration.add { _ in MessageKinds([.correction, .reactions, .reply]) }
public struct MessageKinds: OptionSet, SessionExtension, Hashable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `MessageCorrection`
    public static let correction = MessageKinds(rawValue: 1 << 0)
    /// `MessageRetraction`
    public static let retraction = MessageKinds(rawValue: 1 << 1)
    /// `MessageReactions`
    public static let reactions = MessageKinds(rawValue: 1 << 2)
    /// `MessageReply`
    public static let reply = MessageKinds(rawValue: 1 << 3)
    /// `FallbackIndication`
    public static let fallback = MessageKinds(rawValue: 1 << 4)
    /// `StyledText`
    public static let styling = MessageKinds(rawValue: 1 << 5)
    /// `MessageReference`
    public static let references = MessageKinds(rawValue: 1 << 6)
    /// `ChatState`
    public static let chatStates = MessageKinds(rawValue: 1 << 7)
    /// `OutOfBandData`
    public static let outOfBandData = MessageKinds(rawValue: 1 << 8)

    /// `ExplicitMention`: the program notifies its user of them.
    public static let explicitMentions = MessageKinds(rawValue: 1 << 9)
    /// `EphemeralTimer`: the program discards messages when their time has passed.
    public static let ephemeralTimers = MessageKinds(rawValue: 1 << 10)

    /// What `MessageReader` of MessageSemantics reads.
    public static let all: MessageKinds = [
        .correction, .retraction, .reactions, .reply, .fallback, .styling, .references, .chatStates, .outOfBandData,
    ]

    private static let namespaces: [(MessageKinds, String)] = [
        (.correction, MessageCorrection.name.namespace),
        (.retraction, MessageRetraction.name.namespace),
        (.reactions, MessageReactions.name.namespace),
        (.reply, MessageReply.name.namespace),
        (.fallback, FallbackIndication.name.namespace),
        (.styling, StylingDisabled.name.namespace),
        (.references, MessageReference.name.namespace),
        (.chatStates, ChatState.namespace),
        (.outOfBandData, OutOfBandData.name.namespace),
        (.explicitMentions, ExplicitMention.name.namespace),
        (.ephemeralTimers, EphemeralTimer.name.namespace),
    ]

    public var features: [String] {
        Self.namespaces.filter { contains($0.0) }.map(\.1)
    }
}
