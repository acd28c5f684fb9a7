public import XMLStreaming
public import XMPPStanzas

/// A hint for servers about how to handle a message (XEP-0334 Message Processing Hints §4).
public enum ProcessingHint: String, Sendable, CaseIterable, XMLEncodable {
    case noPermanentStore = "no-permanent-store"
    case noStore = "no-store"
    case noCopy = "no-copy"
    case store

    public static let namespace = "urn:xmpp:hints"

    public func encode(to writer: inout XMLWriter) {
        writer.element(XMLName(rawValue, Self.namespace), text: "")
    }
}

extension Message {
    /// The processing hints of the message.
    public var processingHints: Set<ProcessingHint> {
        var hints = Set<ProcessingHint>()
        for payload in payloads where payload.name.namespace == ProcessingHint.namespace {
            if let hint = ProcessingHint(rawValue: payload.name.local) { hints.insert(hint) }
        }
        return hints
    }
}
