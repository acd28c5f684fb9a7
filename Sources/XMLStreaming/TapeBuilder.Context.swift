extension TapeBuilder {
    /// What the stream header declared for everything below it.
    struct Context: Sendable {
        /// A prefix that needs no declaration in an element.
        struct Source: Sendable {
            var prefix: [UInt8]
            var namespace: [UInt8]
            /// The first of the sources with the same namespace.
            var identity: Int
        }

        var defaultNamespace: [UInt8] = []
        /// The prefix `xml` comes first.
        private(set) var sources = [Source(prefix: Array("xml".utf8), namespace: XMLNamespace.xmlBytes, identity: 0)]

        /// Bytes of all namespaces that were declared.
        var byteCount: Int { sources.dropFirst().reduce(defaultNamespace.count) { $0 + $1.namespace.count } }

        mutating func declare(_ prefix: [UInt8], _ namespace: [UInt8]) {
            // Declaring what it is already changes nothing.
            guard prefix != sources[0].prefix else { return }
            let identity = sources.firstIndex { $0.namespace == namespace } ?? sources.count
            sources.append(Source(prefix: prefix, namespace: namespace, identity: identity))
        }

        func namespace(ofPrefix prefix: ArraySlice<UInt8>) -> [UInt8]? {
            sources.first { $0.prefix.elementsEqual(prefix) }?.namespace
        }
    }
}
