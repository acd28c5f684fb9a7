internal import AccountRegistration
internal import DataForms
internal import Localization

/// The registration form of a provider, as the user fills it in.
public struct RegistrationForm: Sendable, Hashable {
    /// A field of the form.
    public struct Field: Sendable, Hashable, Identifiable {
        public enum Kind: Sendable, Hashable {
            case text
            case email
            /// Hidden while it is typed.
            case secret
            case multipleLines
            case yesOrNo
            /// One of several options.
            case choice([Option])
            /// Any of several options.
            case choices([Option])
            /// Text without an answer.
            case remark
        }

        /// The name of the field in the form.
        public let id: String
        public let label: String
        public let explanation: String?
        public let kind: Kind
        public let isRequired: Bool
        /// The default values.
        public let values: [String]
        /// A CAPTCHA picture (XEP-0158), or another picture to look at.
        public let picture: [UInt8]?
        /// Where to see or hear the CAPTCHA when it is not included.
        public let link: String?
    }

    public struct Option: Sendable, Hashable {
        public let label: String
        public let value: String
    }

    /// The provider's instructions, one element per paragraph.
    public let instructions: [String]
    /// All fields except name and password, which every provider asks for.
    public let fields: [Field]
    /// A web page that creates accounts, instead of the form or in addition.
    public let webPage: String?
    /// Accounts are created on the web page only.
    public let isOnlyOnWeb: Bool

    init(_ query: RegistrationQuery) {
        let paragraphs = [query.instructions, query.form?.title].compactMap { $0 } + (query.form?.instructions ?? [])
        // Servers often repeat the same text inside and outside of the form.
        instructions = paragraphs.map(\.trimmingWhitespace).reduce(into: []) { list, paragraph in
            if !paragraph.isEmpty, !list.contains(paragraph) { list.append(paragraph) }
        }
        webPage = query.webPage.flatMap(Self.pageAddress)
        isOnlyOnWeb = query.form == nil && query.fields.isEmpty && query.webPage != nil
        if let form = query.form {
            fields = form.fields.compactMap { Self.field($0, query) }
        } else {
            fields = query.fields.compactMap(Self.field)
        }
    }

    /// Fields that the model provides itself.
    private static let known: Set = ["username", "password", "key"]

    private static func field(_ field: RegistrationQuery.Field) -> Field? {
        guard !known.contains(field.name) else { return nil }
        return Field(
            id: field.name, label: label(of: field.name), explanation: nil,
            kind: field.name == "email" ? .email : .text, isRequired: true,
            values: field.value.isEmpty ? [] : [field.value], picture: nil, link: nil)
    }

    private static func field(_ field: DataFormField, _ query: RegistrationQuery) -> Field? {
        if field.kind == .fixed {
            let text = field.values.joined(separator: "\n").trimmingWhitespace
            guard !text.isEmpty else { return nil }
            return Field(
                id: "remark " + text, label: text, explanation: nil, kind: .remark, isRequired: false, values: [],
                picture: nil, link: nil)
        }
        guard let name = field.name, field.kind != .hidden, !known.contains(name) else { return nil }
        let options = field.options.map { Option(label: $0.label ?? $0.value, value: $0.value) }
        let kind: Field.Kind =
            switch field.kind {
            case .boolean: .yesOrNo
            case .textPrivate: .secret
            case .textMulti, .jidMulti: .multipleLines
            case .listSingle: .choice(options)
            case .listMulti: .choices(options)
            case .fixed: .remark
            case .hidden, .jidSingle, .textSingle: name == "email" ? .email : .text
            }
        let sources = field.media?.sources ?? []
        let attached = sources.lazy.compactMap { source in
            query.attachments.first { "cid:" + $0.contentID == source.uri }
        }.first
        return Field(
            id: name, label: field.label ?? label(of: name), explanation: field.description, kind: kind,
            isRequired: field.isRequired, values: field.values,
            picture: attached.flatMap { ($0.mediaType ?? "image/").hasPrefix("image/") ? $0.bytes : nil },
            link: sources.map(\.uri).lazy.compactMap(pageAddress).first)
    }

    /// The labels of the legacy fields, which have none of their own (XEP-0077 §14.1).
    private static func label(of name: String) -> String {
        switch name {
        case "nick": localized("Nickname")
        case "name": localized("Full name")
        case "first": localized("First name")
        case "last": localized("Last name")
        case "email": localized("E-mail")
        case "address": localized("Street")
        case "city": localized("City")
        case "state": localized("Region")
        case "zip": localized("Postal code")
        case "phone": localized("Telephone")
        case "url": localized("Web page")
        case "date": localized("Date")
        case "misc", "text": localized("Remark")
        case "ocr": localized("The letters in the picture")
        default: name
        }
    }

    /// The link comes from an untrusted server: only web addresses are accepted.
    private static func pageAddress(_ text: String) -> String? {
        let lowered = text.lowercased()
        return lowered.hasPrefix("https://") || lowered.hasPrefix("http://") ? text : nil
    }
}
