import CExpat
import XMLStreaming

/// The content of a document as bytes, from either parser: equal bytes mean equal content.
enum ContentDump {
    private static let separator: UInt8 = 0x1F
    private static let start: UInt8 = 1
    private static let end: UInt8 = 2
    private static let attribute: UInt8 = 3
    private static let value: UInt8 = 4
    private static let text: UInt8 = 5

    /// The content as expat reads it, or `nil` if it rejects the document.
    static func expat(_ document: [UInt8]) -> [UInt8]? {
        final class Collector {
            var dump: [UInt8] = []
            var isInText = false
        }
        guard let parser = XML_ParserCreateNS("UTF-8", CChar(separator)) else { return nil }
        defer { XML_ParserFree(parser) }
        let collector = Collector()
        XML_SetUserData(parser, Unmanaged.passUnretained(collector).toOpaque())
        XML_SetElementHandler(
            parser,
            { data, name, attributes in
                guard let data, let name, let attributes else { return }
                let collector = Unmanaged<Collector>.fromOpaque(data).takeUnretainedValue()
                collector.isInText = false
                collector.dump.append(ContentDump.start)
                ContentDump.append(name, to: &collector.dump)
                var pairs: [[UInt8]] = []
                var index = 0
                while let name = attributes[index], let content = attributes[index + 1] {
                    var pair = [ContentDump.attribute]
                    ContentDump.append(name, to: &pair)
                    pair.append(ContentDump.value)
                    ContentDump.append(content, to: &pair)
                    pairs.append(pair)
                    index += 2
                }
                ContentDump.append(pairs, to: &collector.dump)
            },
            { data, _ in
                guard let data else { return }
                let collector = Unmanaged<Collector>.fromOpaque(data).takeUnretainedValue()
                collector.isInText = false
                collector.dump.append(ContentDump.end)
            })
        XML_SetCharacterDataHandler(parser) { data, bytes, count in
            guard let data, let bytes, count > 0 else { return }
            let collector = Unmanaged<Collector>.fromOpaque(data).takeUnretainedValue()
            if !collector.isInText { collector.dump.append(ContentDump.text) }
            collector.isInText = true
            UnsafeRawBufferPointer(start: bytes, count: Int(count)).withMemoryRebound(to: UInt8.self) {
                collector.dump.append(contentsOf: $0)
            }
        }
        let status = document.withUnsafeBytes { bytes in
            XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 1)
        }
        return status == XML_STATUS_OK ? collector.dump : nil
    }

    /// The content of an element.
    static func element(_ root: XMLElement) -> [UInt8] {
        var dump: [UInt8] = []
        add(root, to: &dump)
        return dump
    }

    private static func add(_ element: XMLElement, to dump: inout [UInt8]) {
        dump.append(start)
        append(element.name, to: &dump)
        append(
            element.attributes.map { name, content in
                var pair = [attribute]
                append(name, to: &pair)
                pair.append(value)
                pair.append(contentsOf: content.utf8)
                return pair
            }, to: &dump)
        for node in element.nodes {
            switch node {
            case .element(let child): add(child, to: &dump)
            case .text(let content):
                dump.append(text)
                dump.append(contentsOf: content.utf8)
            }
        }
        dump.append(end)
    }

    private static func append(_ name: XMLName, to dump: inout [UInt8]) {
        if !name.namespace.isEmpty {
            dump.append(contentsOf: name.namespace.utf8)
            dump.append(separator)
        }
        dump.append(contentsOf: name.local.utf8)
    }

    private static func append(_ string: UnsafePointer<CChar>, to dump: inout [UInt8]) {
        var index = 0
        while string[index] != 0 {
            dump.append(UInt8(bitPattern: string[index]))
            index += 1
        }
    }

    /// Attributes have no order.
    private static func append(_ pairs: [[UInt8]], to dump: inout [UInt8]) {
        let sorted = pairs.count < 2 ? pairs : pairs.sorted { $0.lexicographicallyPrecedes($1) }
        for pair in sorted { dump.append(contentsOf: pair) }
    }
}
