import Foundation
import Testing
import XMLStreaming

/// The examples of one XEP that the extension modules read, from `Examples/xep-NNNN.xml`.
///
/// ```
/// <examples specification='XEP-0092'>
///   <example number='1' type='EntityInformation.SoftwareVersionRequest'><query xmlns='jabber:iq:version'/></example>
///   <refused type='EntityInformation.LastActivity' because='query without seconds'><query xmlns='jabber:iq:last'/></refused>
/// </examples>
/// ```
///
/// `number` is that of the example in the specification, or its section. An `<example>` is written again as it is; where a type
/// leaves out a part or writes it in another way, `<written>` after the element contains what it writes. A `<refused>` element is
/// not in the specification: it is invalid, and reading it throws.
struct Specification: Sendable, CustomTestStringConvertible {
    struct Example: Sendable {
        /// As in the specification, or why the element is refused.
        let number: String
        let type: String
        let element: XMLElement
        let written: XMLElement
    }

    /// Such as `XEP-0092`.
    let name: String
    let examples: [Example]
    let refused: [Example]

    var testDescription: String { name }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Examples")

    static let all: [Specification] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return (names ?? []).filter { $0.hasSuffix(".xml") }.sorted().map { file -> Specification in
            do {
                return try Specification(String(contentsOf: folder.appending(path: file), encoding: .utf8))
            } catch {
                preconditionFailure("\(file): \(error)")
            }
        }
    }()

    private init(_ document: String) throws {
        let root = try XMLElement(parsing: document)
        name = try root.required("specification")
        examples = try root.children(XMLName("example", "")).map(Self.example)
        refused = try root.children(XMLName("refused", "")).map(Self.example)
    }

    private static func example(_ element: XMLElement) throws -> Example {
        let content = Array(element.children)
        let first = try #require(content.first)
        let written = content.first { $0.isNamed(XMLName("written", "")) }
        return Example(
            number: element["number"] ?? element["because"] ?? "", type: try element.required("type"),
            element: XMLElement(EditableElement(first)),
            written: XMLElement(EditableElement(written?.firstChild ?? first)))
    }
}

/// An element as a tree that can be changed. Space between elements is left out, because it means nothing in XMPP.
struct EditableElement: XMLEncodable {
    enum Node {
        case element(EditableElement)
        case text(String)
    }

    var name: XMLName
    var attributes: [(name: XMLName, value: String)]
    var content: [Node]

    init(_ element: XMLElement) {
        name = element.name
        attributes = element.attributes.map { ($0.name, $0.value) }
        let hasElements = element.firstChild != nil
        content = element.nodes.compactMap { node -> Node? in
            switch node {
            case .element(let child): .element(EditableElement(child))
            case .text(let text): hasElements && text.allSatisfy(\.isWhitespace) ? nil : .text(text)
            }
        }
    }

    /// Attributes whose absence means the same as this value.
    private static let defaults: Set = [
        "{jabber:x:data}field type text-single", "{jabber:iq:roster}item subscription none",
        "{urn:xmpp:jingle:transports:s5b:1}transport mode tcp", "{urn:xmpp:bookmarks:1}conference autojoin false",
    ]

    /// Elements that form a set.
    private static let unordered: Set = [
        "{http://jabber.org/protocol/disco#info}feature", "{http://jabber.org/protocol/muc#user}status",
    ]

    /// The same meaning in one form: children are sorted by their name, and attributes with the value that their absence means are
    /// left out.
    var normalized: EditableElement {
        var copy = self
        copy.attributes.removeAll {
            Self.defaults.contains("{\(name.namespace)}\(name.local) \($0.name.local) \($0.value)")
        }
        copy.content = content.enumerated().map { index, node -> (key: String, index: Int, node: Node) in
            switch node {
            case .element(let child):
                (
                    Self.unordered.contains("\(child.name)") ? "\(XMLElement(child))" : "\(child.name)", index,
                    .element(child.normalized)
                )
            case .text: ("", index, node)
            }
        }
        .sorted { ($0.key, $0.index) < ($1.key, $1.index) }.map(\.node)
        return copy
    }

    func encode(to writer: inout XMLWriter) {
        writer.start(name)
        for attribute in attributes { writer.attribute(attribute.name, attribute.value) }
        for node in content {
            switch node {
            case .element(let element): element.encode(to: &writer)
            case .text(let text): writer.text(text)
            }
        }
        writer.end()
    }
}
