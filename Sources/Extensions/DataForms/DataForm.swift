public import XMLStreaming

/// A form that a program sends, a user fills in and a program reads (XEP-0004 Data Forms).
///
/// ```
/// S: <x xmlns='jabber:x:data' type='form'>
///      <title>Registration</title>
///      <field var='FORM_TYPE' type='hidden'><value>jabber:iq:register</value></field>
///      <field var='username' type='text-single' label='User name'><required/></field>
///    </x>
/// ```
public struct DataForm: XMLPayload, Equatable {
    /// The purpose of the form (§3.1).
    public enum Kind: String, Sendable, CaseIterable {
        case form, submit, cancel, result
    }

    public static let name = XMLName("x", "jabber:x:data")

    public var kind: Kind
    public var title: String?
    /// Instructions for the user, one entry per paragraph.
    public var instructions: [String]
    public var fields: [DataFormField]
    /// The columns of a table of results, by name, label and kind (§3.4).
    public var columns: [DataFormField]
    /// The rows of a table of results: each has fields that belong to ``columns``, in any order (§3.4).
    public var rows: [[DataFormField]]
    /// The pages on which the fields are shown, if the sender arranges them (XEP-0141 Data Forms Layout).
    public var pages: [DataFormPage]

    public init(
        kind: Kind, title: String? = nil, instructions: [String] = [], fields: [DataFormField] = [],
        columns: [DataFormField] = [], rows: [[DataFormField]] = [], pages: [DataFormPage] = []
    ) {
        self.kind = kind
        self.title = title
        self.instructions = instructions
        self.fields = fields
        self.columns = columns
        self.rows = rows
        self.pages = pages
    }

    /// The value of the hidden `FORM_TYPE` field, which defines the meaning of the field names (XEP-0068).
    public var formType: String? {
        self["FORM_TYPE"]?.values.first
    }

    /// The field called `name`, if the form has one.
    public subscript(name: String) -> DataFormField? {
        fields.first { $0.name == name }
    }

    /// A form of kind `submit` with this form's `FORM_TYPE`, its other hidden values and the given answers.
    ///
    /// Hidden fields are returned unchanged, because the form's sender needs them to recognise it (§3.3).
    public func answered(with answers: [String: [String]]) -> DataForm {
        let filled = fields.compactMap { field -> DataFormField? in
            guard let name = field.name else { return nil }
            if let values = answers[name] { return DataFormField(name: name, kind: field.kind, values: values) }
            return field.kind == .hidden ? DataFormField(name: name, kind: .hidden, values: field.values) : nil
        }
        return DataForm(kind: .submit, fields: filled)
    }

    /// A form of kind `submit` with these values; all other fields are returned unchanged.
    ///
    /// For settings: services differ in whether a missing field means "unchanged" or "default".
    public func submission(changing values: [String: [String]]) -> DataForm {
        let fields = fields.compactMap { field -> DataFormField? in
            guard let name = field.name, field.kind != .fixed else { return nil }
            return DataFormField(name: name, kind: field.kind, values: values[name] ?? field.values)
        }
        return DataForm(kind: .submit, fields: fields)
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        // The schema requires a type, but old servers omit it in results.
        self.init(kind: element["type"].flatMap(Kind.init(rawValue:)) ?? .form)
        for child in element.children where child.isNamed(DataFormPage.name) {
            pages.append(try DataFormPage(from: child))
        }
        for child in element.children where child.name.namespace == Self.name.namespace {
            switch child.name.local {
            case "title": title = child.text
            case "instructions": instructions.append(child.text)
            case "field": fields.append(try DataFormField(from: child))
            case "reported" where columns.isEmpty: columns = try Self.fields(of: child)
            case "item": rows.append(try Self.fields(of: child))
            default: break
            }
        }
    }

    private static func fields(of element: XMLElement) throws(XMLDecodingError) -> [DataFormField] {
        var fields: [DataFormField] = []
        for child in element.children(DataFormField.name) { fields.append(try DataFormField(from: child)) }
        return fields
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("type", kind.rawValue)
        if let title { writer.element(XMLName("title", Self.name.namespace), text: title) }
        for paragraph in instructions { writer.element(XMLName("instructions", Self.name.namespace), text: paragraph) }
        for page in pages { page.encode(to: &writer) }
        for field in fields { field.encode(to: &writer) }
        if !columns.isEmpty { Self.encode(columns, in: "reported", to: &writer) }
        for row in rows { Self.encode(row, in: "item", to: &writer) }
        writer.end()
    }

    private static func encode(_ fields: [DataFormField], in local: String, to writer: inout XMLWriter) {
        writer.start(XMLName(local, name.namespace))
        for field in fields { field.encode(to: &writer) }
        writer.end()
    }
}
