internal import DataForms
public import XMLStreaming
public import XMPPAddress
internal import XMPPClient
public import XMPPStanzas

/// A search for public rooms of many servers (XEP-0433 Extended Channel Search).
///
/// ```
/// C: <iq type='get' to='search.service.example'><search xmlns='urn:xmpp:channel-search:0:search'>
///      <x xmlns='jabber:x:data' type='submit'>…</x></search></iq>
/// ```
public struct ChannelSearch: IQRequest, Equatable {
    public static let feature = "urn:xmpp:channel-search:0:search"
    public static let name = XMLName("search", feature)

    /// How results are sorted.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// The room with most occupants first.
        case occupants = "{urn:xmpp:channel-search:0:order}nusers"
        case address = "{urn:xmpp:channel-search:0:order}address"
    }

    /// The words to find in names, descriptions and addresses; `nil` for all rooms.
    public var words: String?
    public var order: Order
    public var minimumOccupants: Int?
    /// The maximum number of results of a page.
    public var maximum: Int
    /// The identifier after which the page begins: ``Response/last`` of the page before.
    public var after: String?

    public init(
        _ words: String?, order: Order = .occupants, minimumOccupants: Int? = nil, maximum: Int = 50,
        after: String? = nil
    ) {
        self.words = words
        self.order = order
        self.minimumOccupants = minimumOccupants
        self.maximum = maximum
        self.after = after
    }

    /// A room that was found. All values are claims of the search service.
    public struct Channel: Sendable, Hashable {
        public var address: JID
        public var name: String?
        public var description: String?
        public var language: String?
        public var occupantCount: Int?
        /// Whether everybody may enter.
        public var isOpen: Bool
    }

    /// A page of results.
    public struct Response: IQResponse, Equatable {
        /// The maximum number of results that are read.
        private static let limit = 500
        /// The maximum number of characters of a text that are read.
        private static let textLimit = 1024

        public var channels: [Channel]
        /// `nil` on the last page.
        public var last: String?

        /// Invalid results are skipped.
        public init(payload: XMLElement?) throws(XMLDecodingError) {
            guard let payload, payload.isNamed(XMLName("result", feature)) else {
                throw XMLDecodingError(IQ.name, .missingElement(XMLName("result", feature)))
            }
            channels = payload.children(XMLName("item", feature)).prefix(Self.limit).compactMap { item in
                guard let address = (try? item.address("address")) ?? nil, address.isBare else { return nil }
                func text(_ local: String) -> String? {
                    item.firstChild(XMLName(local, feature)).map { String($0.text.prefix(Self.textLimit)) }
                }
                return Channel(
                    address: address, name: text("name"), description: text("description"), language: text("language"),
                    occupantCount: text("nusers").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil },
                    isOpen: item.firstChild(XMLName("is-open", feature)) != nil)
            }
            let set = payload.firstChild(XMLName("set", resultSets))
            last = channels.isEmpty ? nil : set?.firstChild(XMLName("last", resultSets))?.text
        }
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let form = try DataForm(from: try element.required(DataForm.name))
        func value(_ field: String) -> String? { form[field]?.values.first }
        let set = element.firstChild(XMLName("set", Self.resultSets))
        self.init(
            value("q"), order: value("key").flatMap(Order.init(rawValue:)) ?? .occupants,
            minimumOccupants: value("min_users").flatMap { Int($0) },
            maximum: set?.firstChild(XMLName("max", Self.resultSets)).flatMap { Int($0.text) } ?? 50,
            after: set?.firstChild(XMLName("after", Self.resultSets))?.text)
    }

    public func encode(to writer: inout XMLWriter) {
        func field(_ name: String, _ kind: DataFormField.Kind, _ value: String) -> DataFormField {
            DataFormField(name: name, kind: kind, values: [value])
        }
        var fields = [field("FORM_TYPE", .hidden, "urn:xmpp:channel-search:0:search-params")]
        if let words {
            fields.append(field("q", .textSingle, words))
        } else {
            fields.append(field("all", .boolean, "true"))
        }
        if let minimumOccupants { fields.append(field("min_users", .textSingle, String(minimumOccupants))) }
        fields.append(field("key", .listSingle, order.rawValue))
        writer.start(Self.name)
        writer.start(XMLName("set", Self.resultSets))
        writer.element(XMLName("max", Self.resultSets), text: String(maximum))
        if let after { writer.element(XMLName("after", Self.resultSets), text: after) }
        writer.end()
        DataForm(kind: .submit, fields: fields).encode(to: &writer)
        writer.end()
    }

    private static let resultSets = "http://jabber.org/protocol/rsm"
}

extension GroupChat {
    /// Searches public rooms of many servers with a search service.
    ///
    /// The service and its operator learn the words. Ask the user before using one of another server.
    public func search(_ search: ChannelSearch, at service: JID) async throws(GroupChatError) -> ChannelSearch.Response
    {
        do throws(ClientError) {
            return try await session.request(search, to: service)
        } catch {
            throw GroupChatError(error)
        }
    }
}
