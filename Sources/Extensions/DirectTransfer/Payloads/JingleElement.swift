public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// One step of the negotiation of a direct connection (XEP-0166 Jingle §7).
///
/// ```
/// C: <iq type='set' to='juliet@capulet.lit/balcony'><jingle xmlns='urn:xmpp:jingle:1' action='session-initiate'
///      initiator='romeo@montague.lit/orchard' sid='a73sjjvkla37jfea'><content …/></jingle></iq>
/// ```
public struct JingleElement: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("jingle", "urn:xmpp:jingle:1")
    public static let iqType = IQ.Kind.set

    /// What the step does (§7.2). Others are refused.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        case contentAccept = "content-accept"
        case contentAdd = "content-add"
        case contentModify = "content-modify"
        case contentReject = "content-reject"
        case contentRemove = "content-remove"
        case descriptionInfo = "description-info"
        case securityInfo = "security-info"
        case sessionAccept = "session-accept"
        case sessionInfo = "session-info"
        case sessionInitiate = "session-initiate"
        case sessionTerminate = "session-terminate"
        case transportAccept = "transport-accept"
        case transportInfo = "transport-info"
        case transportReject = "transport-reject"
        case transportReplace = "transport-replace"
    }

    /// The maximum length of an identifier that is read, in bytes; usual ones have 16.
    static let identifierLimit = 256
    /// The maximum number of contents that are read; a transfer has one.
    private static let contentLimit = 8

    public var action: Action
    public var sessionID: String
    public var initiator: JID?
    public var responder: JID?
    public var contents: [JingleContent]
    public var reason: JingleReason?
    /// Information within a session, of ``Action/sessionInfo``.
    public var information: TransferInformation?
    /// Whether it contains unknown information. An empty element only asks whether the session is still there.
    private(set) var hasUnknownInformation = false

    public init(
        _ action: Action, sessionID: String, contents: [JingleContent] = [], reason: JingleReason? = nil,
        information: TransferInformation? = nil
    ) {
        self.action = action
        self.sessionID = sessionID
        self.contents = contents
        self.reason = reason
        self.information = information
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let action: Action = try element.value("action") else {
            throw XMLDecodingError(Self.name, .missingAttribute("action"))
        }
        let id = try element.required("sid")
        guard !id.isEmpty, id.utf8.count <= Self.identifierLimit else {
            throw XMLDecodingError(Self.name, .invalidAttribute("sid", value: id))
        }
        self.init(action, sessionID: id)
        // Both are only information and never trusted: the sender of the request is known.
        initiator = element["initiator"].flatMap { try? JID($0) }
        responder = element["responder"].flatMap { try? JID($0) }
        for child in element.children(JingleContent.name).prefix(Self.contentLimit) {
            contents.append(try JingleContent(from: child))
        }
        reason = element.firstChild(JingleReason.name).map(JingleReason.init(reading:))
        if action == .sessionInfo {
            information = try TransferInformation(in: element)
            hasUnknownInformation = information == nil && element.firstChild != nil
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("action", action.rawValue)
        writer.attribute("initiator", initiator?.description)
        writer.attribute("responder", responder?.description)
        writer.attribute("sid", sessionID)
        for content in contents { content.encode(to: &writer) }
        reason?.encode(to: &writer)
        information?.encode(to: &writer)
        writer.end()
    }
}

/// What is transferred in a session, and how (XEP-0166 Jingle §7.3).
public struct JingleContent: XMLPayload, Equatable {
    public static let name = XMLName("content", JingleElement.name.namespace)

    /// How the bytes travel.
    public enum Transport: Sendable, Equatable {
        case inBand(InBandTransport)
        case socks(SOCKS5Transport)
        /// One that is not known here.
        case other(XMLName)
    }

    /// Who created the content: `initiator` or `responder`.
    public var creator: String
    public var id: String
    /// Who sends: `initiator`, `responder`, `both` or `none`; `nil` if not stated.
    public var senders: String?
    /// The file; `nil` if the description is missing or of another kind.
    public var file: OfferedFile?
    public var transport: Transport?

    public init(
        id: String, creator: String = "initiator", senders: String? = nil, file: OfferedFile? = nil,
        transport: Transport? = nil
    ) {
        self.id = id
        self.creator = creator
        self.senders = senders
        self.file = file
        self.transport = transport
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let id = try element.required("name")
        guard id.utf8.count <= JingleElement.identifierLimit else {
            throw XMLDecodingError(Self.name, .invalidAttribute("name", value: id))
        }
        self.init(id: id, creator: element["creator"] ?? "initiator", senders: element["senders"])
        for child in element.children {
            if child.isNamed(OfferedFile.descriptionName) {
                file = try OfferedFile(from: child)
            } else if child.isNamed(InBandTransport.name) {
                transport = .inBand(try InBandTransport(from: child))
            } else if child.isNamed(SOCKS5Transport.name) {
                transport = .socks(try SOCKS5Transport(from: child))
            } else if child.localName == "transport", transport == nil {
                transport = .other(child.name)
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("creator", creator)
        writer.attribute("name", id)
        writer.attribute("senders", senders)
        file?.encode(to: &writer)
        switch transport {
        case .inBand(let transport)?: transport.encode(to: &writer)
        case .socks(let transport)?: transport.encode(to: &writer)
        case .other(let name)?: writer.element(name)
        case nil: break
        }
        writer.end()
    }
}

/// Why a session ended (XEP-0166 Jingle §7.4).
public struct JingleReason: Error, Sendable, Hashable {
    /// The condition. Others may be used by other programs.
    public struct Condition: RawRepresentable, Sendable, Hashable {
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        private init(_ name: String) {
            rawValue = name
        }

        public static let busy = Condition("busy")
        public static let cancel = Condition("cancel")
        public static let connectivityError = Condition("connectivity-error")
        public static let decline = Condition("decline")
        public static let failedApplication = Condition("failed-application")
        public static let failedTransport = Condition("failed-transport")
        public static let generalError = Condition("general-error")
        public static let gone = Condition("gone")
        public static let mediaError = Condition("media-error")
        public static let success = Condition("success")
        public static let timeout = Condition("timeout")
        public static let unsupportedApplications = Condition("unsupported-applications")
        public static let unsupportedTransports = Condition("unsupported-transports")
    }

    public static let name = XMLName("reason", JingleElement.name.namespace)
    /// The maximum number of characters of a text that are read.
    private static let textLimit = 1024

    public var condition: Condition
    public var text: String?

    public init(_ condition: Condition, text: String? = nil) {
        self.condition = condition
        self.text = text
    }

    init(reading element: XMLElement) {
        let child = element.children.first { $0.namespace == Self.name.namespace && $0.localName != "text" }
        condition = Condition(rawValue: child?.localName ?? Condition.generalError.rawValue)
        text = element.firstChild(Self.textName).map { String($0.text.prefix(Self.textLimit)) }
    }

    func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.element(XMLName(condition.rawValue, Self.name.namespace))
        if let text { writer.element(Self.textName, text: text) }
        writer.end()
    }

    private static let textName = XMLName("text", name.namespace)
}

/// The error of a request that does not fit the session (XEP-0166 Jingle §10).
enum JingleRefusal: String, Sendable, Hashable, Error {
    case outOfOrder = "out-of-order"
    case unknownSession = "unknown-session"
    case unsupportedInfo = "unsupported-info"
    case tieBreak = "tie-break"

    var stanzaError: StanzaError {
        let condition: StanzaError.Condition =
            switch self {
            case .outOfOrder: .unexpectedRequest
            case .unknownSession: .itemNotFound
            case .unsupportedInfo: .featureNotImplemented
            case .tieBreak: .conflict
            }
        return StanzaError(
            condition, applicationCondition: XMLElement(XMLName(rawValue, "urn:xmpp:jingle:errors:1")))
    }
}
