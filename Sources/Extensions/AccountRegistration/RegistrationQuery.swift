public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// What a server asks for before it creates an account, and the answer to it (XEP-0077 In-Band Registration §3.1).
///
/// ```
/// S: <query xmlns='jabber:iq:register'>
///      <instructions>Choose a username and password.</instructions><username/><password/></query>
/// ```
public struct RegistrationQuery: XMLPayload, Equatable {
    public static let name = XMLName("query", "jabber:iq:register")
    private static let outOfBandName = XMLName("x", "jabber:x:oob")

    /// The simple fields of §14.1, name → value (empty when only asked for), in the order of the server.
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
    /// The form that takes the place of the simple fields when the server sends one (§4).
    public var form: DataForm?
    /// A web page where the account is to be created instead (§5).
    public var webPage: String?
    /// What questions of the form refer to by `cid:` (XEP-0231).
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
                // A picture that cannot be read is missing; whether that matters a person sees.
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
