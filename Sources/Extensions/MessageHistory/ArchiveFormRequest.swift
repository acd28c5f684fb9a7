public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// Asks which conditions an archive understands in a filter (XEP-0313 Message Archive Management §4.1.5).
public struct ArchiveFormRequest: IQRequest, Hashable {
    /// The conditions, as the fields of a form.
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

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}
