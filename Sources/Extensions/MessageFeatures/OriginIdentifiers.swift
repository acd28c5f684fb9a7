public import XMPPClient
public import XMPPStanzas

/// Gives every message that others may speak of an `origin-id` (XEP-0359 Unique and Stable Stanza IDs §3.2).
///
/// ```
/// C: <message id='de305d54' …><body>…</body><origin-id xmlns='urn:xmpp:sid:0' id='de305d54'/></message>
/// ```
///
/// It is the same as the `id` of the message, so that a receiver finds the message by either. By it the message is known
/// again when it comes back from a room, an archive or another device.
public final class OriginIdentifiers: SessionExtension, StanzaInterceptor {
    /// Which messages get one.
    public enum Scope: Sendable, Hashable, CaseIterable {
        /// Those with content: not errors, and not those that carry nothing but chat states, receipts or markers.
        case content
        /// Only those with a body.
        case body
        /// All but errors.
        case all
    }

    private static let passingNamespaces: Set<String> = [
        ChatState.namespace, DeliveryReceipt.name.namespace, DisplayedMarker.name.namespace, ProcessingHint.namespace,
    ]

    private let scope: Scope

    public init(for scope: Scope = .content) {
        self.scope = scope
    }

    /// What it announces: the identifiers of others are read and never forwarded as the own.
    public var features: [String] { [OriginIdentifier.name.namespace] }
    public var interceptors: [any StanzaInterceptor] { [self] }

    public func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
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
