public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// What a server asks for before it creates an account, and the answers (XEP-0077 In-Band Registration §3.1).
///
/// ```
/// S: <query xmlns='jabber:iq:register'>
///      <instructions>Choose a username and password.</instructions><username/><password/></query>
/// ```
public struct RegistrationQuery: XMLPayload, Equatable {
    public static let name = XMLName("query", "jabber:iq:register")
    private static let outOfBandName = XMLName("x", "jabber:x:oob")

    /// A simple field of §14.1: a name and a value (empty in a question), in the order of the server.
    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(name: String, value: String = "") {
            self.name = name
            self.value = value
        }
    }

    public var instructions: String?
    public var isRegistered: Bool
    public var isRemoval: Bool
    public var fields: [Field]
    /// The form, which replaces the simple fields if the server sends one (§4).
    public var form: DataForm?
    /// The web page on which to create the account instead (§5).
    public var webPage: String?
    /// The data that questions of the form reference by `cid:` (XEP-0231).
    public var attachments: [BitsOfBinary] = []

    public init(
        instructions: String? = nil, fields: [Field] = [], form: DataForm? = nil, isRegistered: Bool = false,
        isRemoval: Bool = false, webPage: String? = nil
    ) {
        self.instructions = instructions
        self.fields = fields
        self.form = form
        self.isRegistered = isRegistered
        self.isRemoval = isRemoval
        self.webPage = webPage
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init()
        for child in element.children {
            if child.isNamed(DataForm.name) {
                form = try DataForm(from: child)
            } else if child.isNamed(Self.outOfBandName) {
                webPage = child.firstChild(XMLName("url", Self.outOfBandName.namespace))?.text
            } else if child.isNamed(BitsOfBinary.name) {
                // An unreadable picture is omitted; the user sees whether it matters.
                if let data = try? BitsOfBinary(from: child) { attachments.append(data) }
            } else if child.name.namespace == Self.name.namespace {
                switch child.name.local {
                case "instructions": instructions = child.text
                case "registered": isRegistered = true
                case "remove": isRemoval = true
                default: fields.append(Field(name: child.name.local, value: child.text))
                }
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        let namespace = Self.name.namespace
        writer.start(Self.name)
        if isRemoval { writer.element(XMLName("remove", namespace), text: "") }
        if isRegistered { writer.element(XMLName("registered", namespace), text: "") }
        if let instructions { writer.element(XMLName("instructions", namespace), text: instructions) }
        for field in fields { writer.element(XMLName(field.name, namespace), text: field.value) }
        if let form { form.encode(to: &writer) }
        if let webPage {
            writer.start(Self.outOfBandName)
            writer.element(XMLName("url", Self.outOfBandName.namespace), text: webPage)
            writer.end()
        }
        for data in attachments { data.encode(to: &writer) }
        writer.end()
    }
}

extension RegistrationQuery: IQPayload {}

/// Requests the questions of the server before it creates an account (XEP-0077 In-Band Registration §3.1).
public struct RegistrationRequest: IQRequest, EmptyPayload, Equatable {
    public typealias Response = RegistrationQuery
    public static let name = RegistrationQuery.name

    public init() {}
}

/// Submits the answers, changes the password or deletes the account (XEP-0077 §3.1 to §3.3).
public struct RegistrationSubmission: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = RegistrationQuery.name
    public static let iqType = IQ.Kind.set

    public var query: RegistrationQuery

    public init(_ query: RegistrationQuery) {
        self.query = query
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        query = try RegistrationQuery(from: element)
    }

    public func encode(to writer: inout XMLWriter) {
        query.encode(to: &writer)
    }
}

extension RegistrationQuery: IQResponse {}
