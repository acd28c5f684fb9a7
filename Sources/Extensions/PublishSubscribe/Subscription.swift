internal import XMLStreaming
public import XMPPAddress

/// That somebody gets what is published in a node, or wants to (XEP-0060 Publish-Subscribe §4.2).
///
/// ```
/// S: <subscription node='princely_musings' jid='francisco@denmark.lit' subid='ba49252a' subscription='subscribed'/>
/// ```
public struct Subscription: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case none
        /// Waits for the owner.
        case pending
        /// Waits for options of the subscriber (§6.1.5).
        case unconfigured
        case subscribed
    }

    /// `nil` in a list that was asked for one node.
    public var node: String?
    public var address: JID
    public var id: String?
    /// `nil` when it is not said; then it is subscribed (§6.1.1).
    public var state: State?

    public init(node: String?, address: JID, id: String? = nil, state: State? = .subscribed) {
        self.node = node
        self.address = address
        self.id = id
        self.state = state
    }

    init(reading element: XMLElement) throws(XMLDecodingError) {
        node = element["node"]
        let text = try element.required("jid")
        guard let address = try? JID(text) else {
            throw XMLDecodingError(element.name, .invalidAttribute("jid", value: text))
        }
        self.address = address
        id = element["subid"]
        state = try element.value("subscription", as: State.self)
    }

    func encode(to writer: inout XMLWriter, namespace: String) {
        writer.start(XMLName("subscription", namespace))
        writer.attribute("node", node)
        writer.attribute("jid", address.description)
        writer.attribute("subid", id)
        writer.attribute("subscription", state?.rawValue)
        writer.end()
    }
}
