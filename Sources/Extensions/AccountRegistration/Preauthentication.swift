public import XMLStreaming
public import XMPPStanzas
internal import XMPPStream

/// The token of an invitation: it authorizes a registration (XEP-0445 Pre-Authenticated In-Band Registration §4), and
/// identifies the invited user in a subscription request (XEP-0379 Pre-Authenticated Roster Subscription §4).
///
/// ```
/// C: <iq type='set' to='example.com' id='pa1'><preauth xmlns='urn:xmpp:pars:0' token='1tMFqYDdKhfe2pwp'/></iq>
/// S: <iq type='result' from='example.com' id='pa1'/>
/// ```
public struct Preauthentication: IQRequest, PresencePayload, Hashable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("preauth", StreamNamespace.preauthentication)
    public static let iqType = IQ.Kind.set

    public var token: String

    public init(token: String) {
        self.token = token
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        token = try element.required("token")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("token", token)
        writer.end()
    }
}
