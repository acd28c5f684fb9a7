public import XMLStreaming

/// A page of a form: which fields stand together, under which heading (XEP-0141 Data Forms Layout).
///
/// ```
/// <page xmlns='http://jabber.org/protocol/xdata-layout' label='Personal Information'>
///   <text>Who are you?</text>
///   <section label='Name'><fieldref var='name.first'/><fieldref var='name.last'/></section></page>
/// ```
public struct DataFormPage: XMLPayload, Equatable {
    /// A part of a page or section, in the order in which it is shown.
    public indirect enum Part: Sendable, Equatable {
        case text(String)
        /// The field with this name, which the form describes.
        case field(String)
        /// The table of results.
        case table
        case section(label: String?, [Part])
    }

    public static let name = XMLName("page", "http://jabber.org/protocol/xdata-layout")

    /// Sections inside each other that are read. Deeper ones are left out: no person could tell them apart.
    public static let maximumDepth = 8

    public var label: String?
    public var parts: [Part]

    public init(label: String? = nil, parts: [Part]) {
        self.label = label
        self.parts = parts
    }

    /// The names of the page's fields, in order.
    public var fieldNames: [String] { Self.fieldNames(of: parts) }

    private static func fieldNames(of parts: [Part]) -> [String] {
        parts.flatMap { part -> [String] in
            switch part {
            case .field(let name): [name]
            case .section(_, let parts): fieldNames(of: parts)
            case .text, .table: []
            }
        }
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(label: element["label"], parts: Self.parts(of: element, depth: 0))
    }

    private static func parts(of element: XMLElement, depth: Int) -> [Part] {
        element.children.compactMap { child in
            guard child.name.namespace == name.namespace else { return nil }
            switch child.name.local {
            case "text": return .text(child.text)
            case "fieldref": return child["var"].map(Part.field)
            case "reportedref": return .table
            case "section" where depth < maximumDepth:
                return .section(label: child["label"], parts(of: child, depth: depth + 1))
            default: return nil
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("label", label)
        Self.encode(parts, to: &writer)
        writer.end()
    }

    private static func encode(_ parts: [Part], to writer: inout XMLWriter) {
        for part in parts {
            switch part {
            case .text(let text): writer.element(XMLName("text", name.namespace), text: text)
            case .table: writer.element(XMLName("reportedref", name.namespace), text: "")
            case .field(let field):
                writer.start(XMLName("fieldref", name.namespace))
                writer.attribute("var", field)
                writer.end()
            case .section(let label, let parts):
                writer.start(XMLName("section", name.namespace))
                writer.attribute("label", label)
                encode(parts, to: &writer)
                writer.end()
            }
        }
    }
}
