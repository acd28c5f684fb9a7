public import XMPPClient
public import XMPPStanzas

/// Adds an `origin-id` to each message that others may refer to (XEP-0359 Unique and Stable Stanza IDs §3.2).
///
/// ```
/// C: <message id='de305d54' …><body>…</body><origin-id xmlns='urn:xmpp:sid:0' id='de305d54'/></message>
/// ```
///
/// It equals the `id` of the message, so that a receiver finds the message by either. It identifies the message when it
/// returns from a room, an archive or another device.
public final class OriginIdentifiers: SessionExtension, StanzaInterceptor {
    /// The messages that get an identifier.
    public enum Scope: Sendable, Hashable, CaseIterable {
        /// Messages with content: not errors, and not messages that contain only chat states, receipts or markers.
        case content
        /// Only messages with a body.
        case body
        /// All except errors.
        case all
    }

    private static let passingNamespaces: Set<String> = [
        ChatState.namespace, DeliveryReceipt.name.namespace, DisplayedMarker.name.namespace, ProcessingHint.namespace,
    ]

    private let scope: Scope

    public init(for scope: Scope = .content) {
        self.scope = scope
    }

    /// The announced feature: identifiers of other senders are read, and never forwarded as our own.
    public var features: [String] { [OriginIdentifier.name.namespace] }
    public var interceptors: [any StanzaInterceptor] { [self] }

    public func concerns(received stanza: AnyStanza) -> Bool { false }
    public func concerns(sent stanza: AnyStanza) -> Bool { if case .message = stanza { true } else { false } }

    public nonisolated(nonsending) func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(var message) = stanza else { return .pass(stanza) }
        identify(&message)
        return .pass(.message(message))
    }

    /// Adds the identifier, unless the message has one or needs none.
    public func identify(_ message: inout Message) {
        guard let id = message.id, isWanted(for: message), !message.payloads.contains(OriginIdentifier.name) else {
            return
        }
        message.append(OriginIdentifier(id))
    }

    private func isWanted(for message: Message) -> Bool {
        guard !message.isError else { return false }
        return switch scope {
        case .all: true
        case .body: message.isMessageWithBody
        case .content: message.payloads.contains { !Self.passingNamespaces.contains($0.name.namespace) }
        }
    }
}
