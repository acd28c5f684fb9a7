public import XMLStreaming

/// A question or answer of a data form (XEP-0004 §3.2).
public struct DataFormField: XMLPayload, Equatable {
    /// The kind of input (§3.3). An unknown type is treated as `text-single`, as the specification requires.
    public enum Kind: String, Sendable, CaseIterable {
        case boolean
        case fixed
        case hidden
        case jidMulti = "jid-multi"
        case jidSingle = "jid-single"
        case listMulti = "list-multi"
        case listSingle = "list-single"
        case textMulti = "text-multi"
        case textPrivate = "text-private"
        case textSingle = "text-single"
    }

    /// One of the choices of a list field.
    public struct Option: Sendable, Equatable {
        public var label: String?
        public var value: String

        public init(label: String? = nil, value: String) {
            self.label = label
            self.value = value
        }
    }

    public static let name = XMLName("field", DataForm.name.namespace)

    /// The field's `var`; only `fixed` fields may lack it.
    public var name: String?
    public var kind: Kind
    public var label: String?
    public var description: String?
    public var isRequired: Bool
    public var values: [String]
    public var options: [Option]
    /// Other content, such as the `<media/>` of a CAPTCHA (XEP-0221, XEP-0158).
    public var extensions: [XMLElement]

    public init(
        name: String?, kind: Kind = .textSingle, label: String? = nil, description: String? = nil,
        isRequired: Bool = false, values: [String] = [], options: [Option] = [], extensions: [XMLElement] = []
    ) {
        self.name = name
        self.kind = kind
        self.label = label
        self.description = description
        self.isRequired = isRequired
        self.values = values
        self.options = options
        self.extensions = extensions
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(
            name: element["var"], kind: element["type"].flatMap(Kind.init(rawValue:)) ?? .textSingle,
            label: element["label"])
        for child in element.children {
            guard child.name.namespace == Self.name.namespace else {
                extensions.append(child)
                continue
            }
            switch child.name.local {
            case "desc": description = child.text
            case "required": isRequired = true
            case "value": values.append(child.text)
            case "option":
                let value = child.firstChild(XMLName("value", Self.name.namespace))?.text ?? ""
                options.append(Option(label: child["label"], value: value))
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        let namespace = Self.name.namespace
        writer.start(Self.name)
        writer.attribute("var", name)
        if kind != .textSingle { writer.attribute("type", kind.rawValue) }
        writer.attribute("label", label)
        if let description { writer.element(XMLName("desc", namespace), text: description) }
        if isRequired { writer.element(XMLName("required", namespace), text: "") }
        for value in values { writer.element(XMLName("value", namespace), text: value) }
        for option in options {
            writer.start(XMLName("option", namespace))
            writer.attribute("label", option.label)
            writer.element(XMLName("value", namespace), text: option.value)
            writer.end()
        }
        for element in extensions { writer.write(element) }
        writer.end()
    }
}

/// A picture or sound that the user needs to answer a question of a form, such as a CAPTCHA (XEP-0221 Data Forms Media
/// Element §2).
///
/// ```
/// <field var='ocr' label='Fill in what you see'>
///   <media xmlns='urn:xmpp:media-element' height='80' width='290'>
///     <uri type='image/jpeg'>cid:sha1+f24030b8d91d233bac14777be5ab531ca3b9f102@bob.xmpp.org</uri>
///     <uri type='image/jpeg'>http://www.victim.com/challenges/ocr.jpeg?F3A6292C</uri></media></field>
/// ```
public struct DataFormMedia: XMLPayload, Hashable {
    /// A location of the medium.
    public struct Source: Sendable, Hashable {
        /// `http:`, `https:` or `cid:`, which references bytes in the same stanza (XEP-0231).
        public var uri: String
        public var mediaType: String

        public init(uri: String, mediaType: String) {
            self.uri = uri
            self.mediaType = mediaType
        }
    }

    public static let name = XMLName("media", "urn:xmpp:media-element")

    public var width: Int?
    public var height: Int?
    public var sources: [Source]

    public init(sources: [Source], width: Int? = nil, height: Int? = nil) {
        self.sources = sources
        self.width = width
        self.height = height
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        width = element["width"].flatMap { Int($0) }
        height = element["height"].flatMap { Int($0) }
        sources = element.children(XMLName("uri", Self.name.namespace)).compactMap { child in
            child["type"].map { Source(uri: child.text, mediaType: $0) }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("height", height.map(String.init))
        writer.attribute("width", width.map(String.init))
        for source in sources {
            writer.start(XMLName("uri", Self.name.namespace))
            writer.attribute("type", source.mediaType)
            writer.text(source.uri)
            writer.end()
        }
        writer.end()
    }
}

extension DataFormField {
    /// The medium to present with the question.
    public var media: DataFormMedia? {
        extensions.first { $0.isNamed(DataFormMedia.name) }.flatMap { try? DataFormMedia(from: $0) }
    }
}
