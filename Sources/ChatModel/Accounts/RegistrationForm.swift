internal import AccountRegistration
internal import DataForms
internal import Localization

/// The registration form of a provider, as the user fills it in.
public struct RegistrationForm: Sendable, Hashable {
    /// The provider's instructions, one element per paragraph.
    public let instructions: [String]
    /// All fields except name and password, which every provider asks for.
    public let fields: [FormField]
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
        webPage = query.webPage.flatMap(FormField.pageAddress)
        isOnlyOnWeb = query.form == nil && query.fields.isEmpty && query.webPage != nil
        if let form = query.form {
            fields = form.fields.compactMap { Self.field($0, query) }
        } else {
            fields = query.fields.compactMap(Self.field)
        }
    }

    /// The first required field without an answer.
    func unanswered(by answers: [String: [String]]) -> FormField? {
        fields.first { field in
            field.isRequired && field.kind != .remark && field.kind != .yesOrNo
                && !(answers[field.id] ?? field.values).contains { !$0.trimmingWhitespace.isEmpty }
        }
    }

    /// The answers, and the given values of the fields without one.
    func completed(_ answers: [String: [String]]) -> [String: [String]] {
        var all = answers
        for field in fields where all[field.id] == nil && field.kind != .remark {
            all[field.id] = field.kind == .yesOrNo && field.values.isEmpty ? ["0"] : field.values
        }
        return all
    }

    /// Fields that the model provides itself.
    private static let known: Set = ["username", "password", "key"]

    private static func field(_ field: RegistrationQuery.Field) -> FormField? {
        guard !known.contains(field.name) else { return nil }
        return FormField(
            id: field.name, label: label(of: field.name), kind: field.name == "email" ? .email : .text,
            isRequired: true, values: field.value.isEmpty ? [] : [field.value])
    }

    private static func field(_ field: DataFormField, _ query: RegistrationQuery) -> FormField? {
        guard !known.contains(field.name ?? "") else { return nil }
        let sources = field.media?.sources ?? []
        let attached = sources.lazy.compactMap { source in
            query.attachments.first { "cid:" + $0.contentID == source.uri }
        }.first
        return FormField(
            field, label: field.label ?? label(of: field.name ?? ""),
            picture: attached.flatMap { ($0.mediaType ?? "image/").hasPrefix("image/") ? $0.bytes : nil })
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
}
