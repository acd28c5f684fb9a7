extension XMLElement {
    /// Parses a stand-alone document: one element, perhaps an XML declaration before it.
    ///
    /// The same rules hold as for a stream (RFC 6120 §11): every prefix must be declared inside of the document.
    public init(parsing document: String, limits: XMLLimits = .default) throws(XMLError) {
        try self.init(parsing: Array(document.utf8), limits: limits)
    }

    /// Parses the bytes of a stand-alone document.
    public init(parsing document: [UInt8], limits: XMLLimits = .default) throws(XMLError) {
        var parser = XMLStreamParser(documentWithLimits: limits)
        parser.append(document)
        guard case .element(let element)? = try parser.next() else {
            throw XMLError(.incompleteDocument, at: document.count)
        }
        _ = try parser.next()
        self = element
    }
}
