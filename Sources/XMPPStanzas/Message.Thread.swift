public import XMLStreaming

extension Message {
    /// The conversation that a message belongs to (RFC 6121 §5.2.5): an opaque identifier and perhaps that of the
    /// conversation it branched from.
    ///
    ///     <thread parent='e0ffe42b28561960c6b12b944a092794b9683a38'>0e3141cd80894871a68e6fe6b1ec56fa</thread>
    public struct Thread: MessagePayload, Hashable {
        public static let name = XMLName("thread", XMPPNamespace.client)

        public var id: String
        public var parent: String?

        public init(id: String, parent: String? = nil) {
            self.id = id
            self.parent = parent
        }

        public init(from element: XMLElement) throws(XMLDecodingError) {
            id = element.text
            parent = element["parent"]
        }

        public func encode(to writer: inout XMLWriter) {
            writer.start(Self.name)
            writer.attribute("parent", parent)
            writer.text(id)
            writer.end()
        }
    }
}
