package import XMLStreaming

/// Collects the actions of one event: adjacent writes become one where the transport carries a stream, adjacent stanzas
/// one batch.
package struct ActionList: Sendable {
    private var actions: [StreamAction] = []
    private var bytes: [UInt8] = []
    private var stanzas: [XMLElement] = []

    private let framing: StreamFraming

    package init(_ framing: StreamFraming) { self.framing = framing }

    /// One element.
    package mutating func write(_ element: [UInt8]) {
        send(framing.document(of: element))
    }

    /// What opens or closes a stream, or an element that is framed already.
    package mutating func send(_ more: [UInt8]) {
        flushStanzas()
        if framing == .webSocket { flushBytes() }
        if bytes.isEmpty { bytes = more } else { bytes += more }
    }

    package mutating func stanza(_ stanza: XMLElement) {
        flushBytes()
        stanzas.append(stanza)
    }

    package mutating func append(_ action: StreamAction) {
        flushStanzas()
        flushBytes()
        actions.append(action)
    }

    package mutating func take() -> [StreamAction] {
        flushStanzas()
        flushBytes()
        let result = actions
        actions = []
        return result
    }

    private mutating func flushBytes() {
        guard !bytes.isEmpty else { return }
        actions.append(.write(bytes))
        bytes = []
    }

    private mutating func flushStanzas() {
        guard !stanzas.isEmpty else { return }
        actions.append(.stanzas(stanzas))
        stanzas = []
    }
}
