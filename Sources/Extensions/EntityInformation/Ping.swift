public import XMLStreaming
public import XMPPStanzas

/// Checks whether the peer still responds (XEP-0199 XMPP Ping).
///
/// ```
/// C: <iq type='get' id='p1'><ping xmlns='urn:xmpp:ping'/></iq>
/// S: <iq type='result' id='p1'/>
/// ```
public struct Ping: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("ping", "urn:xmpp:ping")
    public static let iqType = IQ.Kind.get

    public init() {}

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}
