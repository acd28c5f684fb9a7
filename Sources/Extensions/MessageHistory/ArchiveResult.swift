public import XMLStreaming
public import XMPPStanzas

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
