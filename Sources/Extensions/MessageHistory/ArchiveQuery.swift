public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// Queries an archive for messages (XEP-0313 Message Archive Management §4).
///
/// ```
/// C: <iq type='set' id='q1'><query xmlns='urn:xmpp:mam:2' queryid='q1'>
///      <x xmlns='jabber:x:data' type='submit'>
///        <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:mam:2</value></field>
///        <field var='with'><value>juliet@capulet.lit</value></field></x>
///      <set xmlns='http://jabber.org/protocol/rsm'><max>10</max><before/></set></query></iq>
/// ```
///
/// The messages arrive as separate stanzas (``ArchiveResult``) before the response. ``MessageArchive`` combines them
/// and rejects forged ones.
public struct ArchiveQuery: IQRequest, Hashable {
    public typealias Response = ArchiveAnswer

    public static let name = XMLName("query", "urn:xmpp:mam:2")
    public static let iqType = IQ.Kind.set
    private static let flipName = XMLName("flip-page", name.namespace)

    /// Included by the archive in each result.
    public var queryID: String?
    /// The node to query in the archive of a publish-subscribe service.
    public var node: String?
    public var filter: ArchiveFilter
    public var page: ResultSetRequest?
    /// Whether the newest message of the page comes first (§4.3.4).
    public var isFlipped: Bool

    public init(
        queryID: String? = nil, node: String? = nil, filter: ArchiveFilter = ArchiveFilter(),
        page: ResultSetRequest? = nil, isFlipped: Bool = false
    ) {
        self.queryID = queryID
        self.node = node
        self.filter = filter
        self.page = page
        self.isFlipped = isFlipped
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        queryID = element["queryid"]
        node = element["node"]
        filter = try element.decode(DataForm.self).map(ArchiveFilter.init) ?? ArchiveFilter()
        page = try element.decode(ResultSetRequest.self)
        isFlipped = element.firstChild(Self.flipName) != nil
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("queryid", queryID)
        writer.attribute("node", node)
        filter.form?.encode(to: &writer)
        page?.encode(to: &writer)
        if isFlipped { writer.element(Self.flipName, text: "") }
        writer.end()
    }
}

/// The end of a query: which part of the matching messages was sent (XEP-0313 Message Archive Management §4.3.1).
///
/// ```
/// S: <iq type='result' id='q1'><fin xmlns='urn:xmpp:mam:2' complete='true'>
///      <set xmlns='http://jabber.org/protocol/rsm'><first index='0'>23452-4534-1</first><last>390-2342-22</last>
///        <count>16</count></set></fin></iq>
/// ```
public struct ArchiveAnswer: IQResponse, XMLPayload, Hashable {
    public static let name = XMLName("fin", ArchiveQuery.name.namespace)

    /// Whether there are no more matches in the direction of the query.
    public var isComplete: Bool
    /// `false` if the result may change later, so that it must not be cached (§4.3.2).
    public var isStable: Bool
    public var part: ResultSet

    public init(isComplete: Bool, isStable: Bool = true, part: ResultSet = ResultSet()) {
        self.isComplete = isComplete
        self.isStable = isStable
        self.part = part
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        isComplete = try element.boolean("complete") ?? false
        isStable = try element.boolean("stable") ?? true
        part = try element.decode(ResultSet.self) ?? ResultSet()
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        if isComplete { writer.attribute("complete", "true") }
        if !isStable { writer.attribute("stable", "false") }
        part.encode(to: &writer)
        writer.end()
    }
}

/// Requests the conditions that an archive supports in a filter (XEP-0313 Message Archive Management §4.1.5).
public struct ArchiveFormRequest: IQRequest, EmptyPayload, Hashable {
    /// The conditions as fields of a form.
    public struct Response: IQResponse, XMLPayload, Equatable {
        public static let name = ArchiveQuery.name

        public var form: DataForm

        public init(form: DataForm) {
            self.form = form
        }

        public init(from element: XMLElement) throws(XMLDecodingError) {
            try element.requireName(Self.name)
            form = try DataForm(from: try element.required(DataForm.name))
        }

        public func encode(to writer: inout XMLWriter) {
            writer.start(Self.name)
            form.encode(to: &writer)
            writer.end()
        }
    }

    public static let name = ArchiveQuery.name

    public init() {}
}

/// One message in the response of an archive (XEP-0313 Message Archive Management §4.2).
///
/// ```
/// S: <message id='aeb213' to='juliet@capulet.lit/chamber'>
///      <result xmlns='urn:xmpp:mam:2' queryid='f27' id='28482-98726-73623'>
///        <forwarded xmlns='urn:xmpp:forward:0'>…</forwarded></result></message>
/// ```
///
/// Accept it only from an archive with a pending query (§8.2), as ``MessageArchive`` does.
public struct ArchiveResult: MessagePayload, Hashable {
    public static let name = XMLName("result", ArchiveQuery.name.namespace)

    /// Whether the message contains an archive result, requested or not; it is not a message to the user.
    public static func isClaimed(by message: Message) -> Bool { message.payloads.contains(name) }

    public var queryID: String?
    /// The archive id of the message.
    public var id: String
    public var forwarded: ForwardedMessage

    public init(queryID: String?, id: String, forwarded: ForwardedMessage) {
        self.queryID = queryID
        self.id = id
        self.forwarded = forwarded
    }

    /// An unreadable message counts as removed: the item still shows that there was one.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        queryID = element["queryid"]
        id = try element.required("id")
        let inner = try element.required(ForwardedMessage.name)
        do {
            forwarded = try ForwardedMessage(from: inner)
        } catch {
            forwarded = ForwardedMessage(nil, delay: ForwardedMessage.delay(in: inner))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("queryid", queryID)
        writer.attribute("id", id)
        forwarded.encode(to: &writer)
        writer.end()
    }
}
