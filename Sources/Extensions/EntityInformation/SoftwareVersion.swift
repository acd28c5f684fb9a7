public import XMLStreaming
public import XMPPStanzas

/// The name and version of a program (XEP-0092 Software Version).
///
/// ```
/// C: <iq type='get' to='example.org'><query xmlns='jabber:iq:version'/></iq>
/// S: <iq type='result'><query xmlns='jabber:iq:version'><name>Prosody</name><version>0.12.3</version></query></iq>
/// ```
public struct SoftwareVersion: XMLPayload, Equatable {
    public static let name = XMLName("query", "jabber:iq:version")

    public var softwareName: String
    public var version: String
    /// The operating system; `nil` if the program keeps it private.
    public var operatingSystem: String?

    public init(softwareName: String, version: String, operatingSystem: String? = nil) {
        self.softwareName = softwareName
        self.version = version
        self.operatingSystem = operatingSystem
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let namespace = Self.name.namespace
        softwareName = element.firstChild(XMLName("name", namespace))?.text ?? ""
        version = element.firstChild(XMLName("version", namespace))?.text ?? ""
        operatingSystem = element.firstChild(XMLName("os", namespace))?.text
    }

    public func encode(to writer: inout XMLWriter) {
        let namespace = Self.name.namespace
        writer.start(Self.name)
        writer.element(XMLName("name", namespace), text: softwareName)
        writer.element(XMLName("version", namespace), text: version)
        if let operatingSystem { writer.element(XMLName("os", namespace), text: operatingSystem) }
        writer.end()
    }
}

extension SoftwareVersion: IQResponse {}

/// Requests the name and version of a server's or client's software (XEP-0092 Software Version §3).
public struct SoftwareVersionRequest: IQRequest, Equatable {
    public typealias Response = SoftwareVersion
    public static let name = SoftwareVersion.name
    public static let iqType = IQ.Kind.get

    public init() {}

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}
