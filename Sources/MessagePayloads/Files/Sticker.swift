public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Marks the shared file of a message as a sticker, which is shown at once and without a frame (XEP-0449 Stickers).
///
/// ```
/// C: <body>😘</body><sticker xmlns='urn:xmpp:stickers:0' pack='EpRv28DHHzFrE4zd+xaNpVb4'/>
///    <file-sharing xmlns='urn:xmpp:sfs:0'>…</file-sharing>
/// ```
public struct Sticker: MessagePayload, Hashable {
    public static let name = XMLName("sticker", "urn:xmpp:stickers:0")
    /// The maximum length of an identifier, in bytes.
    static let identifierLimit = 1024

    /// The identifier of the pack; `nil` if the sticker belongs to none.
    public var pack: String?
    /// Where the pack is; `nil` for the personal events of the sender.
    public var address: JID?
    /// The node of the pack; `nil` for the usual one.
    public var node: String?

    public init(pack: String? = nil, address: JID? = nil, node: String? = nil) {
        self.pack = pack
        self.address = address
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        func value(_ attribute: String) -> String? {
            element[attribute].flatMap { $0.isEmpty || $0.utf8.count > Self.identifierLimit ? nil : $0 }
        }
        self.init(pack: value("pack"), address: try element.address("jid"), node: value("node"))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("pack", pack)
        writer.attribute("jid", address?.description)
        writer.attribute("node", node)
        writer.end()
    }
}

/// A collection of stickers, published as one item of a node (XEP-0449 Stickers §4.1).
public struct StickerPack: XMLPayload, Equatable {
    public static let name = XMLName("pack", Sticker.name.namespace)
    /// The node of the personal events.
    public static let node = Sticker.name.namespace
    /// The maximum number of stickers of a pack that are read.
    static let limit = 256
    /// The maximum number of characters of a text that are read.
    static let textLimit = 1024

    /// A text in one language.
    public struct Text: Sendable, Hashable {
        public var text: String
        public var language: String?

        public init(_ text: String, language: String? = nil) {
            self.text = text
            self.language = language
        }
    }

    public struct Item: Sendable, Equatable {
        /// With the description, which is the fallback text, and hashes.
        public var file: FileMetadata
        /// Web addresses of the file.
        public var urls: [String]
        /// Texts for which the sticker is suggested.
        public var suggestions: [String]

        public init(file: FileMetadata, urls: [String] = [], suggestions: [String] = []) {
            self.file = file
            self.urls = urls
            self.suggestions = suggestions
        }
    }

    public var names: [Text]
    public var summaries: [Text]
    public var items: [Item]
    /// Whether others may not use it.
    public var isRestricted: Bool
    /// That of everything that identifies the pack.
    public var hash: FileHash?

    public init(
        names: [Text], summaries: [Text] = [], items: [Item] = [], isRestricted: Bool = false, hash: FileHash? = nil
    ) {
        self.names = names
        self.summaries = summaries
        self.items = items
        self.isRestricted = isRestricted
        self.hash = hash
    }

    /// The identifier of the pack: the first 144 bits of its hash (§4.1.2); `nil` without a hash.
    public var id: String? { hash.map { String(Base64.encode($0.value).prefix(24)) } }

    /// The octets whose hash identifies the pack (§4.1.2).
    public var hashInput: [UInt8] {
        func ended(_ text: String?, _ separator: UInt8 = 0x1F) -> [UInt8] { Array((text ?? "").utf8) + [separator] }
        func joined(_ parts: [[UInt8]]) -> [UInt8] {
            parts.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
        }
        func texts(_ local: String, _ texts: [Text]) -> [[UInt8]] {
            texts.map { ended(local) + ended($0.language) + ended($0.text) + [0x1E] }
        }
        let meta = joined(texts("name", names) + texts("summary", summaries)) + [0x1C]
        let stickers = items.map { item in
            let hashes = item.file.hashes.map { ended($0.algorithm) + ended(Base64.encode($0.value)) + [0x1E] }
            return ended(item.file.description, 0x1E) + joined(hashes) + [0x1D]
        }
        return meta + joined(stickers) + [0x1C]
    }

    /// Invalid stickers are skipped.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(names: [])
        for child in element.children {
            switch child.name {
            case Self.named("name"): names.append(Text(Self.text(child), language: child.language))
            case Self.named("summary"): summaries.append(Text(Self.text(child), language: child.language))
            case Self.named("restricted"): isRestricted = true
            case FileHash.name: hash = try FileHash(from: child)
            case Self.named("item") where items.count < Self.limit: if let item = Item(child) { items.append(item) }
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        func write(_ local: String, _ texts: [Text]) {
            for text in texts {
                writer.start(Self.named(local))
                writer.attribute(Self.languageName, text.language)
                writer.text(text.text)
                writer.end()
            }
        }
        writer.start(Self.name)
        write("name", names)
        write("summary", summaries)
        if isRestricted { writer.element(Self.named("restricted")) }
        for item in items { item.encode(to: &writer) }
        hash?.encode(to: &writer)
        writer.end()
    }

    static func text(_ element: XMLElement) -> String { String(element.text.prefix(textLimit)) }
    static func named(_ local: String) -> XMLName { XMLName(local, name.namespace) }
    private static let languageName = XMLName("lang", "http://www.w3.org/XML/1998/namespace")
}

extension StickerPack.Item {
    private static let sourcesName = XMLName("sources", "urn:xmpp:sfs:0")
    private static let urlName = XMLName("url-data", "http://jabber.org/protocol/url-data")
    /// The maximum number of addresses and suggestions that are read.
    private static let limit = 16

    init?(_ element: XMLElement) {
        guard let file = (try? element.decode(FileMetadata.self)) ?? nil else { return nil }
        let sources = element.firstChild(Self.sourcesName)
        let urls = sources?.children(Self.urlName).prefix(Self.limit).compactMap { $0["target"] } ?? []
        let suggestions = element.children(StickerPack.named("suggest")).prefix(Self.limit).map(StickerPack.text)
        self.init(file: file, urls: urls, suggestions: Array(suggestions))
    }

    func encode(to writer: inout XMLWriter) {
        writer.start(StickerPack.named("item"))
        file.encode(to: &writer)
        if !urls.isEmpty {
            writer.start(Self.sourcesName)
            for url in urls {
                writer.start(Self.urlName)
                writer.attribute("target", url)
                writer.end()
            }
            writer.end()
        }
        for suggestion in suggestions { writer.element(StickerPack.named("suggest"), text: suggestion) }
        writer.end()
    }
}
