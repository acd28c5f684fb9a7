package import XMLStreaming

/// Collects the actions of one event: adjacent writes become one, adjacent stanzas one batch.
package struct ActionList: Sendable {
    private var actions: [StreamAction] = []
    private var bytes: [UInt8] = []
    private var stanzas: [XMLElement] = []

    package init() {}

    package mutating func write(_ more: [UInt8]) {
        flushStanzas()
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
